package io.sagaspring.lease;

import org.jspecify.annotations.Nullable;

/**
 * Selects names of leases. A filter that is null selects all names.
 *
 * @param name the text of the name; the name of a tenant is found only together with the tenant
 * @param tenant the tenant, or an empty text for names of no tenant
 * @param node the node of the latest owner
 * @param state the state
 * @param after the {@code next} of the previous page, or null for the first page
 * @param limit the largest number of names, from 1 to 1,000
 * @since 0.1.0
 */
public record LeaseQuery(
        @Nullable String name,
        @Nullable String tenant,
        @Nullable String node,
        @Nullable LeaseState state,
        @Nullable String after,
        int limit) {

    private static final int MOST = 1_000;

    /**
     * Creates a query.
     *
     * @param name the text of the name; the name of a tenant is found only together with the tenant
     * @param tenant the tenant, or an empty text for names of no tenant
     * @param node the node of the latest owner
     * @param state the state
     * @param after the {@code next} of the previous page, or null for the first page
     * @param limit the largest number of names, from 1 to 1,000
     * @throws IllegalArgumentException if the limit is out of range
     */
    public LeaseQuery {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException(
                    "The limit %s is out of range. Write a number from 1 to 1,000.".formatted(limit));
        }
    }
}
