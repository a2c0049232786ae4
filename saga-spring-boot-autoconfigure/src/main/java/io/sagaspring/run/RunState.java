package io.sagaspring.run;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The state of a run.
 *
 * @since 0.1.0
 */
public enum RunState {
    /** The run waits until it is due and a node picks it up, or until its queue lets it begin. */
    PENDING(false),
    /** A node is executing the run, or was executing it when the node died. */
    RUNNING(false),
    /** The run sleeps, or waits for a signal or for the next attempt of a step. It uses no thread and no connection. */
    WAITING(false),
    /** The method of the run returned. */
    COMPLETED(true),
    /**
     * The run ended with an exception, or its deadline passed. The run can be retried from the step that failed, unless
     * it was compensated.
     */
    FAILED(true),
    /** The run was cancelled, or given up. */
    CANCELLED(true),
    /**
     * The run cannot continue, for example because its journal does not fit the code or cannot be read. A node tries
     * again at intervals, and continues the run when the cause has been removed.
     */
    BLOCKED(false),
    /**
     * A step that must not be repeated was begun, and it is unknown whether the step took effect. A person must decide.
     */
    IN_DOUBT(false),
    /** The run was picked up too often without progress. It waits for a person. */
    PARKED(false),
    /** The run is compensating. */
    COMPENSATING(false),
    /** A step could not be compensated. The run waits for a person, and can be retried. */
    COMPENSATION_FAILED(false);

    private final boolean end;

    RunState(boolean end) {
        this.end = end;
    }

    /**
     * Returns true if a run in this state has ended.
     *
     * @return true if the run has ended; a failed run can still be retried
     */
    public boolean isEnd() {
        return end;
    }

    /**
     * Returns true if a run in this state needs a person, or a deployment, to continue.
     *
     * @return true if {@link RunQueries#troubled()} counts the state
     */
    public boolean waitsForAPerson() {
        return this == BLOCKED || this == IN_DOUBT || this == PARKED || this == COMPENSATION_FAILED;
    }

    /**
     * Returns the name of this state in tables and responses.
     *
     * @return the name in lower case
     */
    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Parses the name of a state.
     *
     * @param text the name in lower case
     * @return the state
     * @throws IllegalArgumentException if this version does not know the name
     */
    @JsonCreator
    public static RunState of(String text) {
        return find(text)
                .orElseThrow(
                        () -> new IllegalArgumentException("'%s' is not a state of a run. Use one of %s, in lower case."
                                .formatted(text, Arrays.toString(values()))));
    }

    /**
     * Parses a name that may be unknown, for example because a later version of this library stored it.
     *
     * @param text the name in lower case
     * @return the state, or empty if this version does not know it
     */
    public static Optional<RunState> find(String text) {
        return Arrays.stream(values()).filter(each -> each.text().equals(text)).findFirst();
    }
}
