-- The scripts that have run, no matter who ran them. The last statement of each script records its version here.
CREATE TABLE saga_schema_version (
    version    integer     PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO saga_schema_version (version) VALUES (1);
