-- One row per run. From due_at on, a node can pick up the run. While a node executes the run, due_at is the end of the
-- node's lease. While due_at is NULL, no node picks up the run; a change such as a signal sets due_at again. Writing to
-- the journal locks this row, but does not change it.
CREATE TABLE saga_run (
    id            uuid        PRIMARY KEY,
    run           text        NOT NULL,
    start_key     text,
    state         text        NOT NULL,
    format        text        NOT NULL,
    input         bytea       NOT NULL,
    carried       bytea,                -- the context of the starting caller, in the same format as the input
    result_format text,
    result        bytea,
    error         text,
    token         bigint,               -- token of the current or previous owner; NULL until the first execution
    node          text,                 -- the node that executes the run
    due_at        timestamptz,
    attempts      integer     NOT NULL DEFAULT 0, -- consecutive pickups without progress
    journaled     integer     NOT NULL DEFAULT 0, -- number of journal entries at the latest pickup
    signals       integer     NOT NULL DEFAULT 0, -- number of signals, replies and cancellations received
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

-- The journal. Entries are added at the end and never changed.
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

-- Signals sent to runs. When a run receives a signal, a journal entry records the signal's id.
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
