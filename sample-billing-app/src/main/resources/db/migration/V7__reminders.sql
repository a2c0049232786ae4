CREATE TABLE reminder (
    id      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    about   text    NOT NULL,
    status  text    NOT NULL,
    version bigint  NOT NULL
);
