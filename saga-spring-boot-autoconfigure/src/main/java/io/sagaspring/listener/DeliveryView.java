package io.sagaspring.listener;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored delivery.
 *
 * @param id the id of the delivery
 * @param listener the id of the listener
 * @param known true if this node has the listener
 * @param event the event type that the listener declares
 * @param orderKey the key whose deliveries are in order, or null if the listener has none
 * @param tenant the tenant of the publisher, or null if there was none
 * @param state the state of the delivery
 * @param attempts the number of attempts that have begun since the delivery was stored or last retried by a person
 * @param publishedAt the time at which the event was stored
 * @param dueAt the time from which the next attempt may begin; during an attempt, the end of its lease
 * @param node the node that is calling the listener, or null
 * @param lastError the error of the last attempt that failed, or null
 * @since 0.1.0
 */
public record DeliveryView(
        long id,
        String listener,
        boolean known,
        String event,
        @Nullable String orderKey,
        @Nullable String tenant,
        DeliveryState state,
        int attempts,
        Instant publishedAt,
        Instant dueAt,
        @Nullable String node,
        @Nullable String lastError) {

    DeliveryView knownIf(boolean isKnown) {
        return new DeliveryView(
                id, listener, isKnown, event, orderKey, tenant, state, attempts, publishedAt, dueAt, node, lastError);
    }
}
