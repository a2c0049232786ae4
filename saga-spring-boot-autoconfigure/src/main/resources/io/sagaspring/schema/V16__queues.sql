-- A run of a queue needs a permit of the queue to execute. While it needs one, its lane is 'queue:<name>', which is no name of code.
-- So no node executes it without a permit. A due run of such a lane joins the queue: it then stands there, without due_at, until it begins.
ALTER TABLE saga_run
    ADD COLUMN lane text,                   -- NULL: the lane is the name of the code
    ADD COLUMN queue text COLLATE "C",
    ADD COLUMN queue_key text COLLATE "C",  -- keys take turns; empty if the run was started without one
    ADD COLUMN priority smallint,           -- within the key, larger first
    ADD COLUMN queue_number bigint,         -- the order of the starts
    ADD COLUMN permit integer,              -- the number of the permit that the run holds
    ADD COLUMN keeps_permits boolean;       -- true if the run also holds its permit while it waits

DROP INDEX saga_run_lane;
CREATE INDEX saga_run_lane ON saga_run ((coalesce(lane, run)), (token IS NULL), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX saga_run_queue ON saga_run (queue, queue_key, priority DESC, queue_number)
    WHERE lane IS NOT NULL AND due_at IS NULL AND state = 'pending';
CREATE SEQUENCE saga_queue_number;

-- One row per queue. Each change of the limits and each pause increases the revision here and in all permits of the queue, so that a
-- node that has read the old settings takes no permit.
CREATE TABLE saga_queue (
    queue         text COLLATE "C" PRIMARY KEY,
    declared      text        NOT NULL, -- the latest declaration by the application
    at_once       integer     NOT NULL,
    for_each      integer,
    keeps_permits boolean     NOT NULL,
    starts        integer,              -- how many runs begin within a period; NULL: no limit
    starts_period bigint,               -- in microseconds, as the next two
    starts_step   bigint,               -- the time between two runs once the burst is used up
    starts_early  bigint,               -- the time by which a run may begin early, because of the burst
    starts_burst  integer,
    each_starts   integer,              -- the same for the runs of a key
    each_period   bigint,
    each_step     bigint,
    each_early    bigint,
    each_burst    integer,
    revision      integer     NOT NULL DEFAULT 0,
    changed_at    timestamptz,
    changed_by    text,
    changed_why   text,
    paused_at     timestamptz,
    paused_by     text,
    paused_why    text
);

-- One row per permit. A run begins in the statement that locks a free row and writes its id there.
CREATE TABLE saga_permit (
    queue    text COLLATE "C" NOT NULL,
    number   integer NOT NULL,
    run_id   uuid,
    surplus  boolean NOT NULL DEFAULT false, -- true if the limit was lowered while a run held this permit
    revision integer NOT NULL,
    PRIMARY KEY (queue, number)
) WITH (fillfactor = 50);

-- One row per executing run of a queue with a limit for each key. number is at most that limit.
CREATE TABLE saga_key_permit (
    queue     text COLLATE "C" NOT NULL,
    queue_key text COLLATE "C" NOT NULL,
    number    integer NOT NULL,
    run_id    uuid    NOT NULL UNIQUE,
    PRIMARY KEY (queue, queue_key, number)
);

-- The time until which the starts of a queue, or of a key, are used. The row of the queue itself has a blank, which is no key.
CREATE TABLE saga_rate (
    queue      text COLLATE "C" NOT NULL,
    queue_key  text COLLATE "C" NOT NULL,
    used_until timestamptz      NOT NULL,
    PRIMARY KEY (queue, queue_key)
) WITH (fillfactor = 50);

INSERT INTO saga_schema_version (version) VALUES (16);
