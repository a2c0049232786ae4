-- The tenant for which a claim or background work was stored, and in whose context it goes on. NULL in applications without tenants.
ALTER TABLE saga_claim ADD COLUMN tenant text;
ALTER TABLE saga_due ADD COLUMN tenant text;

INSERT INTO saga_schema_version (version) VALUES (13);
