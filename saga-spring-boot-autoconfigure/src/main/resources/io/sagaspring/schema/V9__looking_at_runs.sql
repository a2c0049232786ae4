-- Since when a run is what it is: picked_up_at while a node executes it, since for whatever it was left as. Both are written
-- by updates that change state and due_at anyway.
ALTER TABLE saga_run
    ADD COLUMN picked_up_at timestamptz, -- NULL if it is executed since it was started
    ADD COLUMN since timestamptz;        -- NULL if it was never left

-- For lists. A run that is started, executed and completed writes no entry into any of these: each entry is paid by every run.
CREATE INDEX saga_run_list ON saga_run (run, state, id) WHERE state NOT IN ('pending', 'running', 'completed');
CREATE INDEX saga_run_pending ON saga_run (id) WHERE state = 'pending';
CREATE INDEX saga_run_waiting ON saga_run (coalesce(since, started_at)) WHERE state = 'waiting';
CREATE INDEX saga_run_compensating ON saga_run (id) WHERE compensating AND ended_at IS NULL;

-- With the run's name, so that the completed runs of a rare name are found among many others.
DROP INDEX saga_run_ended;
CREATE INDEX saga_run_ended ON saga_run (run, ended_at) WHERE ended_at IS NOT NULL;

INSERT INTO saga_schema_version (version) VALUES (9);
