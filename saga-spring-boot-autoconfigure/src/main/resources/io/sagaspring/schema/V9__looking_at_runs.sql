-- If a node executes a run, the run entered its present state at picked_up_at, and otherwise at since. If the column to
-- be used is NULL, the run entered its state at started_at. Both columns are set by updates that change state and
-- due_at anyway, so they prevent no HOT updates.
ALTER TABLE saga_run
    ADD COLUMN picked_up_at timestamptz, -- NULL until the first pickup; starting a run is no pickup
    ADD COLUMN since timestamptz;        -- NULL until a node first stops executing the run

-- Indexes for lists of runs. A run that one node executes from its start to its completion, without an interruption,
-- adds no entry to them.
CREATE INDEX saga_run_list ON saga_run (run, state, id) WHERE state NOT IN ('pending', 'running', 'completed');
CREATE INDEX saga_run_pending ON saga_run (id) WHERE state = 'pending';
CREATE INDEX saga_run_waiting ON saga_run (coalesce(since, started_at)) WHERE state = 'waiting';
CREATE INDEX saga_run_compensating ON saga_run (id) WHERE compensating AND ended_at IS NULL;

-- The index includes the run's name, so that the ended runs of a rare name are found quickly among many others.
DROP INDEX saga_run_ended;
CREATE INDEX saga_run_ended ON saga_run (run, ended_at) WHERE ended_at IS NOT NULL;

INSERT INTO saga_schema_version (version) VALUES (9);
