CREATE TABLE saga_later ();

INSERT INTO saga_schema_version (version) VALUES (1000);
