package io.sagaspring.listener;

import io.sagaspring.fence.FencingToken;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The delivery of an event to a {@link DurableListener}. Declare a parameter of this type to receive it.
 *
 * @param id the id of the delivery, the same for all attempts
 * @param listener the id of the listener
 * @param orderKey the key whose deliveries are in order, or null if the listener has none
 * @param attempt the number of this attempt, starting at 1
 * @param publishedAt the time at which the event was stored, by the database clock
 * @param token a number that grows with each attempt
 * @since 0.1.0
 */
public record Delivery(
        long id, String listener, @Nullable String orderKey, int attempt, Instant publishedAt, FencingToken token) {

    /**
     * Returns the key of this delivery. Pass it to a receiver that must not act twice.
     *
     * @return a key that is the same for all attempts, and different for each event and listener
     */
    public String key() {
        return listener + ":" + id;
    }
}
