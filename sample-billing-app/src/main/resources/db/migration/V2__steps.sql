ALTER TABLE billing ADD closed_by text;

CREATE TABLE payment (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    invoice_id   bigint      NOT NULL REFERENCES invoice,
    amount_cents bigint      NOT NULL,
    reference    text        NOT NULL,
    at           timestamptz NOT NULL
);

CREATE INDEX payment_invoice ON payment (invoice_id);
