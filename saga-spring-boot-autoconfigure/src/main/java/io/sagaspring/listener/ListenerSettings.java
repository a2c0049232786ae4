package io.sagaspring.listener;

import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The settings of listeners from other sources than the annotations.
 *
 * @param byId the settings of single listeners, by their ids
 * @param concurrency the number of deliveries of each listener that a node executes at once
 * @param delay the pause after the first failed attempt
 * @param maxDelay the longest pause
 * @param hasTransactions true if a transaction of the application can also end a delivery
 * @param origin the function that describes the place of a property; returns an empty text if it is unknown
 * @since 0.1.0
 */
public record ListenerSettings(
        Map<String, Of> byId,
        int concurrency,
        Duration delay,
        Duration maxDelay,
        boolean hasTransactions,
        UnaryOperator<String> origin) {

    /** The prefix of the properties of single listeners. */
    public static final String PROPERTIES = "saga.listeners.by-id.";

    /**
     * The settings of one listener. A setting that is null is taken from the annotation, or from the settings of all listeners.
     *
     * @param enabled false if this node only stores events for the listener
     * @param attempts the number of attempts, or null
     * @param delay the pause after the first failed attempt, or null
     * @param maxDelay the longest pause, or null
     * @param concurrency the number of deliveries at once, or null
     */
    public record Of(
            @Nullable Boolean enabled,
            @Nullable Integer attempts,
            @Nullable Duration delay,
            @Nullable Duration maxDelay,
            @Nullable Integer concurrency) {

        /** The settings of a listener that has none of its own. */
        public static final Of NONE = new Of(null, null, null, null, null);
    }
}
