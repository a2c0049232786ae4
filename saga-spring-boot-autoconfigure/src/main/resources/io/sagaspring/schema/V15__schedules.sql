-- Schedules. The row decides when a schedule fires. A node locks the row, reads it, starts the run and writes the next instant in
-- one transaction. The write requires the version that the node has read.
CREATE TABLE saga_schedule (
    name          text        PRIMARY KEY,
    run           text        NOT NULL, -- the name of the code that it starts
    spec          text        NOT NULL, -- 'cron 0 30 2 * * *', 'rate PT5M' or 'delay PT5M'
    zone          text,                 -- the zone of a cron expression
    missed        text        NOT NULL,
    missed_window bigint      NOT NULL, -- milliseconds
    overlap       text        NOT NULL,
    version       bigint      NOT NULL DEFAULT 0,
    next_at       timestamptz,          -- NULL if it depends on the end of the last run
    last_at       timestamptz,          -- the latest instant that fired or was skipped; it only grows
    last_run      uuid,
    queued_at     timestamptz,          -- an instant that waits for the end of the last run
    waits         boolean     NOT NULL DEFAULT false, -- something waits for the end of the last run
    skipped       bigint      NOT NULL DEFAULT 0,
    skipped_why   text,
    skipped_at    timestamptz,
    paused_at     timestamptz,
    paused_by     text,
    paused_why    text,
    changed_at    timestamptz NOT NULL,
    changed_by    text        NOT NULL
) WITH (fillfactor = 50);

CREATE INDEX saga_schedule_next ON saga_schedule (next_at) WHERE paused_at IS NULL;

-- Firings that a person asked for, and that wait until the last run has ended.
CREATE TABLE saga_schedule_firing (
    name      text        NOT NULL REFERENCES saga_schedule ON DELETE CASCADE,
    at        timestamptz NOT NULL,
    triggered boolean     NOT NULL, -- false for a backfill
    asked_by  text        NOT NULL,
    PRIMARY KEY (name, at)
);

INSERT INTO saga_schema_version (version) VALUES (15);
