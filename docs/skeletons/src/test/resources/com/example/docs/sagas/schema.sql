CREATE TABLE IF NOT EXISTS reservation (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id text NOT NULL
);
