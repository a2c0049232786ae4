-- One row per schedule. The row determines when the schedule fires. In one transaction, a node locks the row, reads it,
-- starts the run and writes the next instant. The write has an effect only if the row still has the version that the
-- node has read.
CREATE TABLE saga_schedule (
    name          text        PRIMARY KEY,
    run           text        NOT NULL, -- the name of the run or saga that the schedule starts
    spec          text        NOT NULL, -- 'cron 0 30 2 * * *', 'rate PT5M' or 'delay PT5M'
    zone          text,                 -- the zone of a cron expression
    missed        text        NOT NULL,
    missed_window bigint      NOT NULL, -- milliseconds
    overlap       text        NOT NULL,
    version       bigint      NOT NULL DEFAULT 0,
    next_at       timestamptz,          -- NULL if there is none, or if it depends on the end of the latest run
    last_at       timestamptz,          -- the latest instant that was fired or skipped; never moves back
    last_run      uuid,
    queued_at     timestamptz,          -- an instant that waits for the end of the latest run
    waits         boolean     NOT NULL DEFAULT false, -- true if anything waits for the end of the latest run
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

-- Firings that a person asked for, and that wait until the schedule's latest run has ended.
CREATE TABLE saga_schedule_firing (
    name      text        NOT NULL REFERENCES saga_schedule ON DELETE CASCADE,
    at        timestamptz NOT NULL,
    triggered boolean     NOT NULL, -- false for a backfill
    asked_by  text        NOT NULL,
    PRIMARY KEY (name, at)
);

INSERT INTO saga_schema_version (version) VALUES (15);
