-- Where every fencing token comes from. No cache: a token must be greater than every earlier one for its name.
CREATE SEQUENCE saga_token;

-- The ledger of claims. A row stands as long as its claim: who holds it, and when it was last heard of.
-- The autovacuum of a table that is always nearly empty must not wait for its fifth part to change.
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

-- Pages that stay, though nothing is in them. A vacuum of the empty table would leave none, the planner would then read
-- all there are rather than ask the index, and a plan once made is kept while the table fills with dead rows again.
ALTER TABLE saga_claim SET (fillfactor = 10);
INSERT INTO saga_claim
SELECT '', n, repeat('-', 500), '', '', '', '', '', gen_random_uuid(), 0, now(), now() FROM generate_series(1, 20) AS n;
DELETE FROM saga_claim;
ALTER TABLE saga_claim RESET (fillfactor);

CREATE INDEX saga_claim_alive ON saga_claim (alive_at);

-- What one node at a time does now and then, and when it was last done.
CREATE TABLE saga_turn (
    name     text        PRIMARY KEY,
    taken_at timestamptz NOT NULL
);

INSERT INTO saga_schema_version (version) VALUES (2);
