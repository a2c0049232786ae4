-- The queue in which the runs of a schedule begin, or NULL if they begin without a queue.
ALTER TABLE saga_schedule ADD COLUMN queue text;

INSERT INTO saga_schema_version (version) VALUES (19);
