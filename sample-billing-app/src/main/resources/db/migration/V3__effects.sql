-- Side effects in the outside world. They have their own schema, and are never part of a transaction of the application.
CREATE SCHEMA IF NOT EXISTS effects;

CREATE TABLE IF NOT EXISTS effects.effect (
    id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text        NOT NULL,
    ref  text        NOT NULL,
    key  text        NOT NULL,
    node text        NOT NULL,
    once text        UNIQUE
);

CREATE INDEX IF NOT EXISTS effect_ref ON effects.effect (ref);
