-- Provides the fencing tokens. The sequence has no cache: with a cache for each connection, a later token could be
-- smaller than an earlier one.
CREATE SEQUENCE saga_token;

-- The ledger of claims: one row per claim, until the claim ends. alive_at is the time of the owner's latest heartbeat.
-- Autovacuum starts after 1,000 dead rows. The default also depends on the number of rows, which varies widely here.
CREATE TABLE saga_claim (
    entity      text        NOT NULL,
    entity_id   text        NOT NULL,
    workflow    text        NOT NULL,
    module      text        NOT NULL,
    claim_state text        NOT NULL,
    revert_to   text        NOT NULL,
    requester   text        NOT NULL,
    node        text        NOT NULL,
    attempt     uuid        NOT NULL,
    token       bigint      NOT NULL,
    claimed_at  timestamptz NOT NULL,
    alive_at    timestamptz NOT NULL,
    PRIMARY KEY (entity, entity_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = off);

-- Allocate 20 empty pages, which vacuum_truncate = off keeps. Without pages, the planner would choose a sequential
-- scan, and a cached plan would keep using this scan while dead rows fill the table again.
ALTER TABLE saga_claim SET (fillfactor = 10);
INSERT INTO saga_claim
SELECT '', n, repeat('-', 500), '', '', '', '', '', gen_random_uuid(), 0, now(), now() FROM generate_series(1, 20) AS n;
DELETE FROM saga_claim;
ALTER TABLE saga_claim RESET (fillfactor);

CREATE INDEX saga_claim_alive ON saga_claim (alive_at);

-- Periodic tasks that one node executes in each interval. taken_at is when a node last started the task.
CREATE TABLE saga_turn (
    name     text        PRIMARY KEY,
    taken_at timestamptz NOT NULL
);

INSERT INTO saga_schema_version (version) VALUES (2);
