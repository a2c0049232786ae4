-- The kind of a run's key. A key without a kind identifies at most one run until that run is removed. With the kind
-- 'open', it does so until that run has ended. With the kind 'next', it does so until that run begins or is cancelled.
-- The entry in the index is computed from the row, and becomes NULL in the commit that frees the key. The entry of a
-- key with a kind begins with the control character 1. No key begins with this character. Of the columns in this index,
-- cancel_reason is the only one that changes and is in no other index. So this index prevents HOT updates only for
-- cancellations.
ALTER TABLE saga_run ADD COLUMN key_kind text; -- NULL, 'open' or 'next'

DROP INDEX saga_run_key;
CREATE UNIQUE INDEX saga_run_key ON saga_run (
    run,
    (CASE WHEN key_kind IS NULL THEN start_key WHEN ended_at IS NOT NULL THEN NULL
        WHEN key_kind = 'open' THEN chr(1) || 'o' || start_key
        WHEN token IS NULL AND cancel_reason IS NULL THEN chr(1) || 'n' || start_key END),
    coalesce(tenant, '')) WHERE start_key IS NOT NULL;

INSERT INTO saga_schema_version (version) VALUES (20);
