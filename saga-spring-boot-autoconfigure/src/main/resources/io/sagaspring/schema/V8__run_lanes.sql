-- Finds the due runs of one name, and new runs (token IS NULL) separately from the others. A backlog of one name, or of
-- names that no node knows, therefore delays no other runs. token changes only together with due_at, which the index
-- contains anyway. So the use of token in the index prevents no HOT updates that were possible before.
CREATE INDEX saga_run_lane ON saga_run (run, (token IS NULL), due_at) WHERE due_at IS NOT NULL;
DROP INDEX saga_run_due;

INSERT INTO saga_schema_version (version) VALUES (8);
