-- The dropped index made updates of every run more expensive. To count the runs that wait for a person, the library
-- uses the index saga_run_list instead.
DROP INDEX saga_run_trouble;

INSERT INTO saga_schema_version (version) VALUES (11);
