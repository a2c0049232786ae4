-- One row per lease name. The row remains after the owner has released the lease, so that each later token is greater
-- than the token in the row.
CREATE TABLE saga_lease (
    name       text        PRIMARY KEY,
    token      bigint      NOT NULL,
    attempt    uuid        NOT NULL,
    node       text        NOT NULL,
    ttl_millis bigint      NOT NULL,
    touched_at timestamptz NOT NULL, -- time of the latest acquisition, reattachment, release or completion
    expires_at timestamptz,          -- NULL once the lease is released or completed
    completion text
) WITH (fillfactor = 70);

CREATE INDEX saga_lease_age ON saga_lease (touched_at);

INSERT INTO saga_schema_version (version) VALUES (5);
