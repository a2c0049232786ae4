-- Due runs of one kind, those that no node has had yet apart from the others: a backlog of one kind, or of kinds that no node
-- knows, costs the others nothing. token changes only together with due_at, so that no update is HOT no longer.
CREATE INDEX saga_run_lane ON saga_run (run, (token IS NULL), due_at) WHERE due_at IS NOT NULL;
DROP INDEX saga_run_due;

INSERT INTO saga_schema_version (version) VALUES (8);
