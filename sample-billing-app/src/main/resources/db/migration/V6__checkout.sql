-- Written in the transaction of the step that reserves, so that it is there once.
CREATE TABLE reservation (
    key      text        PRIMARY KEY,
    order_id text        NOT NULL,
    at       timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What the courier knows of his parcels: the outside world's data, as the effects are.
CREATE TABLE IF NOT EXISTS effects.parcel (
    execution_id text        PRIMARY KEY,
    token        text        NOT NULL,
    by_himself   boolean     NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX IF NOT EXISTS parcel_by_himself ON effects.parcel (at) WHERE by_himself;
