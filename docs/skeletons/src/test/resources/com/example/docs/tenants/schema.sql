CREATE TABLE IF NOT EXISTS bill (
    id      bigint PRIMARY KEY,
    tenant  text   NOT NULL,
    status  text   NOT NULL,
    version bigint NOT NULL
);
INSERT INTO bill (id, tenant, status, version) VALUES (1, 'acme', 'OPEN', 0) ON CONFLICT DO NOTHING;
