-- The latest instant for which a schedule itself has started a run. A waiting or skipped instant changes only last_at.
-- The value is 1970-01-01 if the schedule has only let instants pass or wait until now. If the value is NULL, last_at
-- counts instead.
ALTER TABLE saga_schedule ADD COLUMN fired_at timestamptz;

-- The preceding instant of the backfill, or NULL if there is none.
ALTER TABLE saga_schedule_firing ADD COLUMN previous timestamptz;

INSERT INTO saga_schema_version (version) VALUES (21);
