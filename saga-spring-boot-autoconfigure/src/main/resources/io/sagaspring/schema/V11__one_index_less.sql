-- Runs that wait for a person are counted through saga_run_list. Each run paid for this index with every change of its row.
DROP INDEX saga_run_trouble;

INSERT INTO saga_schema_version (version) VALUES (11);
