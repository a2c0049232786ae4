-- The operations that persons have performed, including those that were refused.
CREATE TABLE saga_audit (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    performed_at timestamptz NOT NULL, -- the end of the operation
    operation    text        COLLATE "C" NOT NULL,
    target_kind  text        COLLATE "C" NOT NULL,
    target       text        COLLATE "C" NOT NULL,
    tenant       text        COLLATE "C",
    operator     text        COLLATE "C", -- NULL if the person is unknown
    access       text        NOT NULL,
    reason       text,
    outcome      text        NOT NULL,
    message      text        NOT NULL
);

CREATE INDEX saga_audit_target ON saga_audit (target_kind, target, id);
CREATE INDEX saga_audit_operator ON saga_audit (operator, id);
CREATE INDEX saga_audit_operation ON saga_audit (operation, id);
CREATE INDEX saga_audit_tenant ON saga_audit (tenant, id) WHERE tenant IS NOT NULL;
CREATE INDEX saga_audit_age ON saga_audit (performed_at);

INSERT INTO saga_schema_version (version) VALUES (22);
