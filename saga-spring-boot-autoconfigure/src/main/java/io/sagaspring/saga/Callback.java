package io.sagaspring.saga;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What somebody said about an asynchronous step, as it is stored.
 *
 * @param kind what it is
 * @param payload what the step returned
 * @param error why it failed
 * @param by how much longer it may take
 */
record Callback(
        Kind kind,
        @Nullable JsonNode payload,
        @Nullable StepError error,
        @Nullable Duration by) {

    /** What it may be. */
    enum Kind {
        COMPLETED,
        FAILED,
        EXTENDED
    }

    static Callback completed(@Nullable JsonNode payload) {
        return new Callback(Kind.COMPLETED, payload, null, null);
    }

    static Callback failed(StepError error) {
        return new Callback(Kind.FAILED, null, error, null);
    }

    static Callback extended(Duration by) {
        return new Callback(Kind.EXTENDED, null, null, by);
    }
}
