package io.sagaspring.operations;

import org.jspecify.annotations.Nullable;

/**
 * The object of an operation.
 *
 * @param kind the kind of the object: {@code run}, {@code claim}, {@code work}, {@code delivery}, {@code queue},
 *     {@code schedule}, {@code lease}, {@code key}, {@code kind} (of runs) or {@code janitor}
 * @param id the id or the name of the object; for a claim, the entity's table and id
 * @param tenant the tenant of the object, or null if it has none or the tenant is unknown
 * @since 0.1.0
 */
public record OperationTarget(
        String kind, String id, @Nullable String tenant) {

    static OperationTarget of(String kind, Object id) {
        return new OperationTarget(kind, id.toString(), null);
    }

    @Override
    public String toString() {
        return tenant == null ? "%s %s".formatted(kind, id) : "%s %s of tenant %s".formatted(kind, id, tenant);
    }
}
