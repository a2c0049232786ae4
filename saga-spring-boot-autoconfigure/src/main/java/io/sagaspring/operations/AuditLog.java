package io.sagaspring.operations;

import java.util.List;

/**
 * Lists the operations that persons have performed. An entry is removed when its retention has ended.
 *
 * @since 0.1.0
 */
public final class AuditLog {

    private final AuditTable table;

    /**
     * Creates an audit log.
     *
     * @param table the table of the audit
     */
    public AuditLog(AuditTable table) {
        this.table = table;
    }

    /**
     * Lists operations, latest first.
     *
     * @param query the selection
     * @return the entries
     */
    public List<AuditEntry> list(AuditQuery query) {
        return table.list(query);
    }
}
