-- Which of these scripts have run, whoever ran them. Every script ends by recording itself here.
CREATE TABLE saga_schema_version (
    version    integer     PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO saga_schema_version (version) VALUES (1);
