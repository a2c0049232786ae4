package io.sagaspring.operations;

import java.time.Instant;

/**
 * An operation in the audit.
 *
 * @param id the number of the entry; later entries have greater numbers
 * @param at the time when the operation had ended, by the database clock
 * @param operation the operation with its outcome
 * @since 0.1.0
 */
public record AuditEntry(long id, Instant at, OperationPerformed operation) {}
