-- Deliveries of events to durable listeners. A delivery is written in the commit of the publisher. It is removed when
-- the listener has returned, or when a person gives it up. The head of a line, which is its row with the lowest id, is
-- delivered first. The rows behind it wait.
CREATE TABLE saga_delivery (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    listener     text        COLLATE "C" NOT NULL,
    event        text        NOT NULL, -- the class of the event, for display
    line         bigint      NOT NULL, -- a hash of tenant and key; without a key, a random number
    order_key    text,                 -- the key, for display
    tenant       text,
    format       text        NOT NULL,
    payload      bytea       NOT NULL,
    carried      bytea,                -- the context of the publisher
    published_at timestamptz NOT NULL,
    due_at       timestamptz NOT NULL, -- when the next attempt is due; during a delivery, the end of its lease
    token        bigint,               -- not NULL during a delivery
    node         text,
    attempts     integer     NOT NULL DEFAULT 0,
    last_error   text,
    parked_at    timestamptz
);

CREATE INDEX saga_delivery_line ON saga_delivery (listener, line, id);
CREATE INDEX saga_delivery_held ON saga_delivery (listener, line) WHERE token IS NOT NULL;
CREATE INDEX saga_delivery_parked ON saga_delivery (listener) WHERE parked_at IS NOT NULL;

INSERT INTO saga_schema_version (version) VALUES (18);
