package io.sagaspring.listener;

import org.jspecify.annotations.Nullable;

/**
 * A search for deliveries. A part that is null matches all deliveries.
 *
 * @param listener the id of the listener, or null
 * @param orderKey the key, or null
 * @param tenant the tenant of the publisher, an empty string for deliveries without a tenant, or null
 * @param state the state, or null
 * @param after the id of the last delivery of the previous page, or null for the first page
 * @param limit the largest number of deliveries
 * @since 0.1.0
 */
public record DeliveryQuery(
        @Nullable String listener,
        @Nullable String orderKey,
        @Nullable String tenant,
        @Nullable DeliveryState state,
        @Nullable Long after,
        int limit) {

    /**
     * Creates a search for the first deliveries.
     *
     * @param listener the id of the listener, or null
     * @param orderKey the key, or null
     * @param tenant the tenant of the publisher, an empty string for deliveries without a tenant, or null
     * @param state the state, or null
     * @param limit the largest number of deliveries
     */
    public DeliveryQuery(
            @Nullable String listener,
            @Nullable String orderKey,
            @Nullable String tenant,
            @Nullable DeliveryState state,
            int limit) {
        this(listener, orderKey, tenant, state, null, limit);
    }

    /**
     * Creates a search for all deliveries in a state.
     *
     * @param state the state
     * @param limit the largest number of deliveries
     * @return the search
     */
    public static DeliveryQuery in(DeliveryState state, int limit) {
        return new DeliveryQuery(null, null, null, state, limit);
    }

    /**
     * Creates a search for the deliveries of a listener.
     *
     * @param listener the id of the listener
     * @param limit the largest number of deliveries
     * @return the search
     */
    public static DeliveryQuery of(String listener, int limit) {
        return new DeliveryQuery(listener, null, null, null, limit);
    }
}
