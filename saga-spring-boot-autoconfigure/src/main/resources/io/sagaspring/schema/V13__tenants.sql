-- The tenant of a claim or of background work, or NULL. Before a node reverts the claim or does the work, the node
-- enters this tenant's context.
ALTER TABLE saga_claim ADD COLUMN tenant text;
ALTER TABLE saga_due ADD COLUMN tenant text;

INSERT INTO saga_schema_version (version) VALUES (13);
