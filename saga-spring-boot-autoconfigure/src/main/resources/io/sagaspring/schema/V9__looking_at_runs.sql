-- Since when a run is what it is: picked_up_at while a node executes it, since for whatever it was left as. Both are written
-- by updates that change state and due_at anyway.
ALTER TABLE saga_run
    ADD COLUMN picked_up_at timestamptz, -- NULL if it is executed since it was started
    ADD COLUMN since timestamptz;        -- NULL if it was never left

-- For lists: state changes only where due_at does, which is in an index already.
CREATE INDEX saga_run_list ON saga_run (run, state, id);
CREATE INDEX saga_run_waiting ON saga_run (coalesce(since, started_at)) WHERE state = 'waiting';
CREATE INDEX saga_run_compensating ON saga_run (id) WHERE compensating AND ended_at IS NULL;

INSERT INTO saga_schema_version (version) VALUES (9);
