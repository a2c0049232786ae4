CREATE TABLE IF NOT EXISTS bank_account (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer text NOT NULL
);
