-- A payment of a customer. The commit that inserts a row also removes the delivery of the payment's event, so each payment
-- is booked exactly once.
CREATE TABLE booking (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer     text        NOT NULL,
    amount_cents bigint      NOT NULL,
    at           timestamptz NOT NULL
);

CREATE INDEX booking_customer ON booking (customer);

CREATE TABLE statement (
    customer    text        PRIMARY KEY,
    payments    bigint      NOT NULL,
    total_cents numeric     NOT NULL,
    written     bigint      NOT NULL, -- the number of times that this statement was written
    at          timestamptz NOT NULL
);
