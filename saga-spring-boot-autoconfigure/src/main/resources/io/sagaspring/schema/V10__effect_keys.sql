-- One row per step that has taken effect under an effect key. The row is written in the commit of the step's flip. The
-- row supplies the result of further calls with the same key.
CREATE TABLE saga_effect_key (
    effect_key text        PRIMARY KEY,
    entity     text        NOT NULL,
    entity_id  text        NOT NULL, -- has the same format as in saga_claim
    workflow   text        NOT NULL,
    step       text        NOT NULL,
    requester  text        NOT NULL,
    status     text        NOT NULL, -- the status after the step
    format     text,                 -- the format of the result, or NULL if there is no result
    result     bytea,
    done_at    timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX saga_effect_key_expiry ON saga_effect_key (expires_at);

INSERT INTO saga_schema_version (version) VALUES (10);
