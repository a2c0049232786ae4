-- Counting the runs that wait for a person uses the index saga_run_list instead. The dropped index made updates of
-- every run more expensive.
DROP INDEX saga_run_trouble;

INSERT INTO saga_schema_version (version) VALUES (11);
