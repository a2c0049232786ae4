CREATE TABLE IF NOT EXISTS report (
    id      bigint PRIMARY KEY,
    status  text   NOT NULL,
    version bigint NOT NULL,
    paper   text
);

INSERT INTO report (id, status, version) VALUES (1, 'REQUESTED', 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS flip_audit (
    entity  text   NOT NULL,
    id      text   NOT NULL,
    kind    text   NOT NULL,
    status  text   NOT NULL,
    version bigint NOT NULL
);
