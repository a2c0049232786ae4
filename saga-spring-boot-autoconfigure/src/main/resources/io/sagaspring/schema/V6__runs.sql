-- One row for each run. due_at is when it is to be taken up; while a node drives it, when its lease ends; NULL when nobody
-- is to take it up by itself. What a checkpoint writes is in saga_step alone: here it only locks the row.
CREATE TABLE saga_run (
    id            uuid        PRIMARY KEY,
    run           text        NOT NULL,
    start_key     text,
    state         text        NOT NULL,
    format        text        NOT NULL,
    input         bytea       NOT NULL,
    carried       bytea,                -- in the format of the input
    result_format text,
    result        bytea,
    error         text,
    token         bigint,               -- of who drives it, or drove it last
    node          text,                 -- who drives it
    due_at        timestamptz,
    attempts      integer     NOT NULL DEFAULT 0, -- taken up so often without an end or a wait
    journaled     integer     NOT NULL DEFAULT 0, -- so far it had come when it was last taken up
    signals       integer     NOT NULL DEFAULT 0, -- how often somebody told it something
    cancel_reason text,
    deadline_at   timestamptz,
    started_at    timestamptz NOT NULL,
    ended_at      timestamptz
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX saga_run_key ON saga_run (run, start_key) WHERE start_key IS NOT NULL;
CREATE INDEX saga_run_due ON saga_run (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX saga_run_ended ON saga_run (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX saga_run_trouble ON saga_run (state)
    WHERE state IN ('blocked', 'in_doubt', 'parked', 'compensation_failed');

-- The journal: entries are added at the end, and never changed.
CREATE TABLE saga_step (
    run_id   uuid        NOT NULL,
    position integer     NOT NULL,
    step     text        NOT NULL,
    call     text        NOT NULL,
    mark     text        NOT NULL,
    format   text,
    payload  bytea,
    detail   text,
    until    timestamptz,
    token    bigint      NOT NULL,
    at       timestamptz NOT NULL,
    PRIMARY KEY (run_id, position)
);

-- What somebody told a run. Which entry of the journal has taken it up is said there.
CREATE TABLE saga_signal (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    run_id     uuid        NOT NULL,
    name       text        NOT NULL,
    signal_key text        NOT NULL,
    format     text        NOT NULL,
    payload    bytea       NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (run_id, name, signal_key)
);

INSERT INTO saga_schema_version (version) VALUES (6);
