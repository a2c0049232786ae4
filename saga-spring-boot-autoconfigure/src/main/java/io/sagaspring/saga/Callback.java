package io.sagaspring.saga;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A callback or a signal for a waiting step, in its stored form.
 *
 * @param kind the kind of callback
 * @param payload the value that completes the step, or null
 * @param error the error of a failed step, or null
 * @param by the additional time that an extension grants, or null
 */
record Callback(
        Kind kind,
        @Nullable JsonNode payload,
        @Nullable StepError error,
        @Nullable Duration by) {

    enum Kind {
        COMPLETED,
        /** The attempt failed. The step may be attempted again. */
        FAILED,
        /** The step failed. It is not attempted again. */
        REFUSED,
        EXTENDED,
        /** The stored value is not a callback. */
        NOTHING
    }

    static Callback completed(@Nullable JsonNode payload) {
        return new Callback(Kind.COMPLETED, payload, null, null);
    }

    static Callback failed(StepError error) {
        return new Callback(Kind.FAILED, null, error, null);
    }

    static Callback refused(StepError error) {
        return new Callback(Kind.REFUSED, null, error, null);
    }

    static Callback extended(Duration by) {
        return new Callback(Kind.EXTENDED, null, null, Durations.bounded(by));
    }

    /** Reads a stored callback. A value that was not sent through {@link Sagas} is read as {@link Kind#NOTHING}. */
    static Callback read(JsonNode stored, Json json) {
        return json.find(stored, Callback.class)
                .filter(callback -> callback.kind() != null)
                .orElseGet(Callback::nothing);
    }

    static Callback nothing() {
        return new Callback(Kind.NOTHING, null, null, null);
    }

    boolean endsWait() {
        return kind != Kind.EXTENDED && kind != Kind.NOTHING;
    }

    boolean isFailure() {
        return kind == Kind.FAILED || kind == Kind.REFUSED;
    }

    StepError requireError() {
        return Objects.requireNonNull(error);
    }

    Duration extension() {
        return by == null ? Duration.ZERO : Durations.bounded(by);
    }
}
