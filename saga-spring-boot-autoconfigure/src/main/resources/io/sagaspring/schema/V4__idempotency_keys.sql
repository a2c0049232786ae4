-- One row per idempotency key. The key is claimed while its work runs. Afterwards, the row contains the reply to
-- replay. id is a digest of the columns from owner to operation. If the operation replaces its account by another, the
-- digest does not contain account.
CREATE TABLE saga_idempotency_key (
    id          bytea       PRIMARY KEY,
    owner       text        NOT NULL,
    account     text        NOT NULL,
    request_id  text        NOT NULL,
    operation   text        NOT NULL,
    fingerprint bytea,
    attempt     uuid        NOT NULL,
    token       bigint      NOT NULL,
    node        text        NOT NULL,
    claimed_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    lease_until timestamptz,             -- NULL once the key is completed
    format      text,
    head        text,
    body        bytea
) WITH (fillfactor = 70);

CREATE INDEX saga_idempotency_key_expiry ON saga_idempotency_key (expires_at);

INSERT INTO saga_schema_version (version) VALUES (4);
