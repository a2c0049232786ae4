CREATE TABLE dunning_loop (
    id          text        PRIMARY KEY,
    step_millis bigint      NOT NULL,
    created     timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE dunning_story (
    loop_id  text   NOT NULL REFERENCES dunning_loop,
    id       text   NOT NULL,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    status   text   NOT NULL DEFAULT 'pending',
    token    bigint, -- the token of the latest write; writes with a smaller token are rejected
    node     text,
    PRIMARY KEY (loop_id, id)
);

CREATE INDEX dunning_story_unfinished ON dunning_story (loop_id) WHERE status <> 'passed';
