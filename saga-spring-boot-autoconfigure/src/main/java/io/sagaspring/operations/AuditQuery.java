package io.sagaspring.operations;

import org.jspecify.annotations.Nullable;

/**
 * Selects entries of the audit. A filter that is null selects all entries.
 *
 * @param targetKind the kind of the object, such as {@code run}
 * @param target the id or the name of the object; only together with its kind
 * @param tenant the tenant of the object
 * @param operator the name of the person
 * @param operation the operation, such as {@code run.retry}
 * @param before the number of an entry; only older entries are selected
 * @param limit the largest number of entries, from 1 to 1,000
 * @since 0.1.0
 */
public record AuditQuery(
        @Nullable String targetKind,
        @Nullable String target,
        @Nullable String tenant,
        @Nullable String operator,
        @Nullable String operation,
        @Nullable Long before,
        int limit) {

    private static final int MOST = 1_000;

    /**
     * Creates a query.
     *
     * @param targetKind the kind of the object, such as {@code run}
     * @param target the id or the name of the object; only together with its kind
     * @param tenant the tenant of the object
     * @param operator the name of the person
     * @param operation the operation, such as {@code run.retry}
     * @param before the number of an entry; only older entries are selected
     * @param limit the largest number of entries, from 1 to 1,000
     * @throws IllegalArgumentException if the limit is out of range, or an object is given without its kind
     */
    public AuditQuery {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException(
                    "The limit %d is out of range. Write a number from 1 to 1,000.".formatted(limit));
        }
        if (target != null && targetKind == null) {
            throw new IllegalArgumentException(
                    "The object '%s' was given without its kind. An id is unique only among the objects of one kind. Give the kind too, such as run."
                            .formatted(target));
        }
    }

    /**
     * Selects the latest entries.
     *
     * @param limit the largest number of entries, from 1 to 1,000
     * @return the query
     */
    public static AuditQuery latest(int limit) {
        return new AuditQuery(null, null, null, null, null, null, limit);
    }

    /**
     * Selects only the operations on one object.
     *
     * @param kind the kind of the object, such as {@code run}
     * @param id the id or the name of the object
     * @return the new query
     */
    public AuditQuery on(String kind, String id) {
        return new AuditQuery(kind, id, tenant, operator, operation, before, limit);
    }

    /**
     * Selects only the operations of one person.
     *
     * @param name the person's name
     * @return the new query
     */
    public AuditQuery by(String name) {
        return new AuditQuery(targetKind, target, tenant, name, operation, before, limit);
    }

    /**
     * Selects only entries that are older than the given one.
     *
     * @param id the number of the last entry of the page before
     * @return the new query
     */
    public AuditQuery before(long id) {
        return new AuditQuery(targetKind, target, tenant, operator, operation, id, limit);
    }
}
