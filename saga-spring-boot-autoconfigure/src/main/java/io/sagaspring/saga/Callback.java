package io.sagaspring.saga;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What somebody said about a step that waits, as it is stored.
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
        /** It may be begun again. */
        FAILED,
        /** It is not begun again. */
        REFUSED,
        EXTENDED,
        /** Nothing that anybody could have said here. */
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

    /** Who tells the run something past the sagas has said nothing. */
    static Callback read(JsonNode stored, Json json) {
        return json.find(stored, Callback.class)
                .filter(said -> said.kind() != null)
                .orElseGet(Callback::nothing);
    }

    static Callback nothing() {
        return new Callback(Kind.NOTHING, null, null, null);
    }

    boolean isLast() {
        return kind != Kind.EXTENDED && kind != Kind.NOTHING;
    }

    boolean isFailure() {
        return kind == Kind.FAILED || kind == Kind.REFUSED;
    }

    StepError why() {
        return Objects.requireNonNull(error);
    }

    Duration more() {
        return by == null ? Duration.ZERO : Durations.bounded(by);
    }
}
