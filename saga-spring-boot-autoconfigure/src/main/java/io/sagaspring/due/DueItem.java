package io.sagaspring.due;

import io.sagaspring.fence.LogText;

/**
 * A piece of work that this node has picked up.
 *
 * @param id the row
 * @param queue what kind of work it is; a node picks up only what it knows
 * @param key the same over all deliveries of this work, and of no other
 * @param payload what the work is about
 * @param attempt 1 for the first delivery
 * @since 0.1.0
 */
public record DueItem(long id, String queue, String key, String payload, int attempt) {

    @Override
    public String toString() {
        return "%s (%s, attempt %d)".formatted(LogText.of(key), LogText.of(queue), attempt);
    }
}
