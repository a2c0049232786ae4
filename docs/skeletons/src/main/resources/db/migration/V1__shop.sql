CREATE TABLE purchase_order (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    status  text   NOT NULL,
    version bigint NOT NULL,
    parcel  text
);

CREATE TABLE account (
    owner text   PRIMARY KEY,
    cents bigint NOT NULL
);
