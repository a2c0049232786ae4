package io.sagaspring.due;

import io.sagaspring.fence.LogText;
import org.jspecify.annotations.Nullable;

/**
 * A piece of work that this node has picked up.
 *
 * @param id the row's id
 * @param kind the kind of work; a node picks up only work of kinds that it has a handler for
 * @param key the key that identifies this work; it is the same for all deliveries
 * @param payload the data of the work
 * @param attempt the number of this attempt, starting at 1
 * @param tenant the tenant for which the work was scheduled, or null if there was none
 * @since 0.1.0
 */
public record DueItem(
        long id,
        String kind,
        String key,
        String payload,
        int attempt,
        @Nullable String tenant) {

    @Override
    public String toString() {
        return "%s (kind '%s', attempt %d)".formatted(LogText.of(key), LogText.of(kind), attempt);
    }
}
