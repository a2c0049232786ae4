CREATE TABLE invoices (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    status  text   NOT NULL,
    version bigint NOT NULL DEFAULT 0
);
CREATE SCHEMA store;
CREATE TABLE store.boxes (
    shelf    text     NOT NULL,
    number   bigint   NOT NULL,
    phase    smallint NOT NULL,
    revision integer  NOT NULL DEFAULT 0,
    PRIMARY KEY (shelf, number)
);
