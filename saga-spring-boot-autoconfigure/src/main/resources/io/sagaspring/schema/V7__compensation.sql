-- No index uses these columns yet, so changing them can be a HOT update.
ALTER TABLE saga_run
    ADD COLUMN compensating boolean NOT NULL DEFAULT false, -- true once the run has begun to compensate
    ADD COLUMN amid boolean NOT NULL DEFAULT false,         -- true if the owner may have stopped during a step
    ADD COLUMN retries integer NOT NULL DEFAULT 0;          -- number of retries of the failed run or compensation

-- Finds the execution that belongs to an identifier of another system. The rows with the format 'note' are not signals:
-- the run does not receive them.
CREATE INDEX saga_signal_note ON saga_signal (signal_key) WHERE format = 'note';

INSERT INTO saga_schema_version (version) VALUES (7);
