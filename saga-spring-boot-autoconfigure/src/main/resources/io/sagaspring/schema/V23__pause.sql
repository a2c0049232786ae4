-- The kinds of runs and the janitors that persons have paused. A row is removed when its object is resumed.
CREATE TABLE saga_pause (
    kind       text        COLLATE "C" NOT NULL, -- run, janitor
    name       text        COLLATE "C" NOT NULL, -- the run class or the saga, or the module of the janitor
    paused_at  timestamptz NOT NULL,
    paused_by  text        NOT NULL,
    paused_why text        NOT NULL,
    PRIMARY KEY (kind, name)
);

INSERT INTO saga_schema_version (version) VALUES (23);
