CREATE TABLE billing (
    id      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    period  text    NOT NULL,
    status  text    NOT NULL,
    version bigint  NOT NULL
);

CREATE TABLE invoice (
    id           bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    billing_id   bigint  NOT NULL REFERENCES billing,
    number       text    NOT NULL,
    status       text    NOT NULL,
    amount_cents bigint  NOT NULL,
    customer     text    NOT NULL,
    deleted      boolean NOT NULL,
    version      bigint  NOT NULL
);

CREATE INDEX invoice_billing ON invoice (billing_id);
CREATE INDEX invoice_number ON invoice (number);
