-- The run of a payout, by the reference that the client chose.
CREATE TABLE payout (
    reference    text   PRIMARY KEY,
    tenant       text   NOT NULL,
    run_id       uuid   NOT NULL UNIQUE,
    number       bigint GENERATED ALWAYS AS IDENTITY
);

CREATE INDEX payout_tenant ON payout (tenant, number);

