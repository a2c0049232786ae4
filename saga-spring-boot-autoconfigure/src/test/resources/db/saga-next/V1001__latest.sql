INSERT INTO saga_schema_version (version) VALUES (1001);
