-- One row for each step that has taken effect under a key. It is written in the commit of the step's flip: a call with the same
-- key is answered from it.
CREATE TABLE saga_effect_key (
    effect_key text        PRIMARY KEY,
    entity     text        NOT NULL,
    entity_id  text        NOT NULL, -- as in saga_claim
    workflow   text        NOT NULL,
    step       text        NOT NULL,
    requester  text        NOT NULL,
    status     text        NOT NULL, -- the one that the step led to
    format     text,                 -- which codec wrote the result, NULL where none is stored
    result     bytea,
    done_at    timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX saga_effect_key_expiry ON saga_effect_key (expires_at);

INSERT INTO saga_schema_version (version) VALUES (10);
