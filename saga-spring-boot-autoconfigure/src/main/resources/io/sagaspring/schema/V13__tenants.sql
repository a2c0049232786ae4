-- The tenant of a claim or of background work. It also applies when another node continues the work. NULL without tenants.
ALTER TABLE saga_claim ADD COLUMN tenant text;
ALTER TABLE saga_due ADD COLUMN tenant text;

INSERT INTO saga_schema_version (version) VALUES (13);
