-- One row for each name that was ever held: the holder goes, the row stays, and with it the token that the next one exceeds.
CREATE TABLE saga_lease (
    name       text        PRIMARY KEY,
    token      bigint      NOT NULL,
    attempt    uuid        NOT NULL,
    node       text        NOT NULL,
    ttl_millis bigint      NOT NULL,
    touched_at timestamptz NOT NULL, -- when it was last acquired, given up or completed
    expires_at timestamptz,          -- NULL once it is given up or completed
    completion text
) WITH (fillfactor = 70);

CREATE INDEX saga_lease_age ON saga_lease (touched_at);

INSERT INTO saga_schema_version (version) VALUES (5);
