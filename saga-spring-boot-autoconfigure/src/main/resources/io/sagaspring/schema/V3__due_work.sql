-- Work that is due at a time and is done at least once. While a node works on a row, due_at is when its lease ends.
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
);

CREATE INDEX saga_due_due ON saga_due (due_at) WHERE parked_at IS NULL;
CREATE INDEX saga_due_parked ON saga_due (parked_at) WHERE parked_at IS NOT NULL;

INSERT INTO saga_schema_version (version) VALUES (3);
