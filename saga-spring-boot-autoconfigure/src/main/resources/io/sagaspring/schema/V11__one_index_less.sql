-- The count of runs that wait for a person uses saga_run_list instead. This index made updates of every run more expensive.
DROP INDEX saga_run_trouble;

INSERT INTO saga_schema_version (version) VALUES (11);
