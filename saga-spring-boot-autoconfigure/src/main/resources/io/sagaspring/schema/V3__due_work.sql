-- Background work. A node executes the work at due_at or later, at least once. While a node executes the work, due_at
-- is the end of the node's lease.
CREATE TABLE saga_due (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue      text        NOT NULL,
    work_key   text        NOT NULL,
    payload    text        NOT NULL,
    due_at     timestamptz NOT NULL,
    token      bigint,
    node       text,
    attempts   integer     NOT NULL DEFAULT 0,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    parked_at  timestamptz
) WITH (vacuum_truncate = off);

-- Allocate empty pages for the reason given in V2.
ALTER TABLE saga_due SET (fillfactor = 10);
INSERT INTO saga_due (queue, work_key, payload, due_at)
SELECT '', n, repeat('-', 500), now() FROM generate_series(1, 20) AS n;
DELETE FROM saga_due;
ALTER TABLE saga_due RESET (fillfactor);

CREATE INDEX saga_due_due ON saga_due (due_at) WHERE parked_at IS NULL;
CREATE INDEX saga_due_parked ON saga_due (parked_at) WHERE parked_at IS NOT NULL;

INSERT INTO saga_schema_version (version) VALUES (3);
