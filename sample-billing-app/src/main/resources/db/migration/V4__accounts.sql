CREATE TABLE account (
    id            bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner         text    NOT NULL,
    balance_cents bigint  NOT NULL
);
