package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Selects stored idempotency keys. A filter that is null selects all keys.
 *
 * @param operation the name of the operation
 * @param owner the user to whom the keys belong
 * @param tenant the tenant, or an empty text for keys of no tenant
 * @param node the node of the latest claim
 * @param state the state
 * @param after the {@code next} of the previous page, or null for the first page
 * @param limit the largest number of keys, from 1 to 1,000
 * @since 0.1.0
 */
public record KeyQuery(
        @Nullable String operation,
        @Nullable String owner,
        @Nullable String tenant,
        @Nullable String node,
        @Nullable KeyState state,
        @Nullable String after,
        int limit) {

    private static final int MOST = 1_000;

    /**
     * Creates a query.
     *
     * @param operation the name of the operation
     * @param owner the user to whom the keys belong
     * @param tenant the tenant, or an empty text for keys of no tenant
     * @param node the node of the latest claim
     * @param state the state
     * @param after the {@code next} of the previous page, or null for the first page
     * @param limit the largest number of keys, from 1 to 1,000
     * @throws IllegalArgumentException if the limit is out of range
     */
    public KeyQuery {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException(
                    "The limit %s is out of range. Write a number from 1 to 1,000.".formatted(limit));
        }
    }

    /**
     * Selects the keys whose retention ends last, which are the latest ones.
     *
     * @param limit the largest number of keys, from 1 to 1,000
     * @return the query
     */
    public static KeyQuery latest(int limit) {
        return new KeyQuery(null, null, null, null, null, null, limit);
    }
}
