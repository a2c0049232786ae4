-- Whether a run undoes what it did. It is in no index, so that saying so is a HOT update.
ALTER TABLE saga_run ADD COLUMN compensating boolean NOT NULL DEFAULT false;

INSERT INTO saga_schema_version (version) VALUES (7);
