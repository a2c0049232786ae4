package io.sagaspring.run;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * Where a run stands.
 *
 * @since 0.1.0
 */
public enum RunState {
    /** To be taken up. */
    PENDING(false),
    /** A node drives it, or did when it died. */
    RUNNING(false),
    /** It sleeps, or waits for a signal: no thread and no connection is used. */
    WAITING(false),
    /** It came to its end. */
    COMPLETED(true),
    /** It ended with an exception, or was not over in time. It can be retried from the step that failed. */
    FAILED(true),
    /** It was cancelled. */
    CANCELLED(true),
    /** Its journal does not fit the code. It is looked at again now and then, and goes on when the code is right. */
    BLOCKED(false),
    /** A step that must not be repeated was begun, and nobody knows whether it took effect. A person has to say. */
    IN_DOUBT(false),
    /** Whoever took it up died, again and again. It waits for a person. */
    PARKED(false),
    /** It undoes what it did, by itself. */
    COMPENSATING(false),
    /** What it did could not be undone. It waits for a person, and can be retried. */
    COMPENSATION_FAILED(false);

    private final boolean end;

    RunState(boolean end) {
        this.end = end;
    }

    /**
     * Whether it goes on from here by itself or by what somebody says.
     *
     * @return false if it is over
     */
    public boolean isEnd() {
        return end;
    }

    /**
     * Tells whether a run in this state goes on only if a person acts.
     *
     * @return true if {@link RunQueries#troubled()} counts it
     */
    public boolean waitsForAPerson() {
        return this == BLOCKED || this == IN_DOUBT || this == PARKED || this == COMPENSATION_FAILED;
    }

    /**
     * The name in tables and answers.
     *
     * @return in lower case
     */
    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Reads a name.
     *
     * @param text in lower case
     * @return the state
     */
    @JsonCreator
    public static RunState of(String text) {
        return find(text)
                .orElseThrow(() ->
                        new IllegalArgumentException("There is no state '%s' of a run: it is one of %s, in lower case."
                                .formatted(text, Arrays.toString(values()))));
    }

    /**
     * Reads a name that may be unknown, such as one that a later version of this library has stored.
     *
     * @param text in lower case
     * @return the state, or empty if this version does not know it
     */
    public static Optional<RunState> find(String text) {
        return Arrays.stream(values()).filter(each -> each.text().equals(text)).findFirst();
    }
}
