-- The kind of a run's key. A key identifies at most one run until that run is removed or, with the kind 'open', until that
-- run has ended. The entry of an open key disappears from the index in the commit that sets ended_at. It begins with the
-- control character 1, so that it differs from a key without a kind: no such key begins with this character. ended_at is
-- in other indexes, too, so its use in this index prevents no HOT updates that were possible before.
ALTER TABLE saga_run ADD COLUMN key_kind text; -- NULL or 'open'

DROP INDEX saga_run_key;
CREATE UNIQUE INDEX saga_run_key ON saga_run (
    run,
    (CASE WHEN key_kind IS NULL THEN start_key WHEN ended_at IS NULL THEN chr(1) || 'o' || start_key END),
    coalesce(tenant, '')) WHERE start_key IS NOT NULL;

INSERT INTO saga_schema_version (version) VALUES (19);
