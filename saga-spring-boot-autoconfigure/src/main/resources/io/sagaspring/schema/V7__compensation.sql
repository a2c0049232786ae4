-- None of these is in an index, so that saying so is a HOT update.
ALTER TABLE saga_run
    ADD COLUMN compensating boolean NOT NULL DEFAULT false, -- it undoes what it did
    ADD COLUMN amid boolean NOT NULL DEFAULT false,         -- who drove it may have left it in the middle of a step
    ADD COLUMN retries integer NOT NULL DEFAULT 0;          -- how often somebody had it go on after it failed

-- Notes beside a run, which is not told of them: which callback belongs to the number that somebody else has given it.
CREATE INDEX saga_signal_note ON saga_signal (signal_key) WHERE format = 'note';

INSERT INTO saga_schema_version (version) VALUES (7);
