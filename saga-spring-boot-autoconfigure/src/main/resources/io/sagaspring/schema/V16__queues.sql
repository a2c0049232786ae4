-- A run of a queue executes only with a permit of the queue. While the run needs a permit, its lane is 'queue:<name>'.
-- No run class or saga has such a name, so no node executes the run without a permit. When a run in such a lane is due,
-- it joins the queue. It then waits there, without due_at, until it begins.
ALTER TABLE saga_run
    ADD COLUMN lane text,                   -- NULL: the lane is the name in the column run
    ADD COLUMN queue text COLLATE "C",
    ADD COLUMN queue_key text COLLATE "C",  -- the keys take turns; empty if the run was started without a key
    ADD COLUMN priority smallint,           -- within a key, the run with the largest priority begins first
    ADD COLUMN queue_number bigint,         -- the order of the runs' starts; a move to another queue gives a new number
    ADD COLUMN permit integer,              -- the number of the permit that the run holds
    ADD COLUMN keeps_permits boolean;       -- true if the run also holds its permit while it waits

DROP INDEX saga_run_lane;
CREATE INDEX saga_run_lane ON saga_run ((coalesce(lane, run)), (token IS NULL), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX saga_run_queue ON saga_run (queue, queue_key, priority DESC, queue_number)
    WHERE lane IS NOT NULL AND due_at IS NULL AND state = 'pending';
CREATE SEQUENCE saga_queue_number;

-- One row per queue. Each change of the limits and each pause increases the revision here and in all permits of the
-- queue, so that a node that has read the old settings takes no permit.
CREATE TABLE saga_queue (
    queue         text COLLATE "C" PRIMARY KEY,
    declared      text        NOT NULL, -- the latest declaration by the application
    at_once       integer     NOT NULL,
    for_each      integer,
    keeps_permits boolean     NOT NULL,
    starts        integer,              -- how many runs begin within a period; NULL: no limit
    starts_period bigint,               -- in microseconds, like the next two columns
    starts_step   bigint,               -- the time between two runs once the burst is used up
    starts_early  bigint,               -- the time by which a run may begin early, because of the burst
    starts_burst  integer,
    each_starts   integer,              -- this and the next four columns: the same for the runs of each key
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

-- One row per permit. The statement that begins a run locks a free row, and writes the run's id there.
CREATE TABLE saga_permit (
    queue    text COLLATE "C" NOT NULL,
    number   integer NOT NULL,
    run_id   uuid,
    surplus  boolean NOT NULL DEFAULT false, -- true if the limit was lowered while a run held this permit
    revision integer NOT NULL,
    PRIMARY KEY (queue, number)
) WITH (fillfactor = 50);

-- One row per run that holds a permit of a queue with a limit for each key. number is at most that limit.
CREATE TABLE saga_key_permit (
    queue     text COLLATE "C" NOT NULL,
    queue_key text COLLATE "C" NOT NULL,
    number    integer NOT NULL,
    run_id    uuid    NOT NULL UNIQUE,
    PRIMARY KEY (queue, queue_key, number)
);

-- The time until which the allowed starts of a queue, or of a key, are used up. In the row of the queue itself,
-- queue_key is a single space. No key is a single space.
CREATE TABLE saga_rate (
    queue      text COLLATE "C" NOT NULL,
    queue_key  text COLLATE "C" NOT NULL,
    used_until timestamptz      NOT NULL,
    PRIMARY KEY (queue, queue_key)
) WITH (fillfactor = 50);

INSERT INTO saga_schema_version (version) VALUES (16);
