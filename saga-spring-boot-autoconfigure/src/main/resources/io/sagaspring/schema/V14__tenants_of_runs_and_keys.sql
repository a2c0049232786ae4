-- The tenant of a run, or NULL. A key identifies at most one run in each tenant. The second index is for lists of a
-- tenant's runs.
ALTER TABLE saga_run ADD COLUMN tenant text; -- never empty

DROP INDEX saga_run_key;
CREATE UNIQUE INDEX saga_run_key ON saga_run (run, start_key, coalesce(tenant, '')) WHERE start_key IS NOT NULL;
CREATE INDEX saga_run_tenant ON saga_run (tenant, id) WHERE tenant IS NOT NULL;

-- The tenant of an idempotency key, or NULL. The tenant is part of the digest in the column id.
ALTER TABLE saga_idempotency_key ADD COLUMN tenant text; -- never empty

COMMENT ON COLUMN saga_lease.name IS 'The name of the lease. If it belongs to a tenant, the tenant and the control character 31 precede it.';

INSERT INTO saga_schema_version (version) VALUES (14);
