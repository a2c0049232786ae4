-- The reservation step writes this row in the same transaction as its journal entry, so each reservation exists exactly once.
CREATE TABLE reservation (
    key      text        PRIMARY KEY,
    order_id text        NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The courier's own records. Like the effects, they belong to the outside world.
CREATE TABLE IF NOT EXISTS effects.parcel (
    execution_id text        PRIMARY KEY,
    token        text        NOT NULL,
    by_himself   boolean     NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX IF NOT EXISTS parcel_by_himself ON effects.parcel (at) WHERE by_himself;
