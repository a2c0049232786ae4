package io.sagaspring.saga;

import io.sagaspring.fence.LogText;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a step failed.
 *
 * @param type what kind of failure: the name of an exception's class, {@link #TIMEOUT}, or what a callback says
 * @param message what happened
 * @param details more, for people and programs
 * @since 0.1.0
 */
public record StepError(
        String type, @Nullable String message, @Nullable Map<String, Object> details) {

    /** It was not over in time. */
    public static final String TIMEOUT = "timeout";

    /** It would have overwritten what another step has stored. */
    public static final String CONTEXT = "context";

    /** The type of an error for a callback that cannot be read. */
    public static final String UNREADABLE = "unreadable";

    private static final int LONGEST_MESSAGE = 1_000;

    /**
     * An error that can be journaled: what has no type is called {@code error}, and of a long message the beginning is kept.
     *
     * @param type what kind of failure
     * @param message what happened
     * @param details more, for people and programs
     */
    public StepError {
        type = type == null || type.isBlank() ? "error" : type;
        message = message == null || message.length() <= LONGEST_MESSAGE
                ? message
                : message.substring(0, LONGEST_MESSAGE) + "…";
    }

    /**
     * An error without details.
     *
     * @param type what kind of failure
     * @param message what happened
     */
    public StepError(String type, @Nullable String message) {
        this(type, message, null);
    }

    /** The saga itself was not over within its timeout. */
    static StepError late() {
        return new StepError(TIMEOUT, "It was not over in time.");
    }

    boolean isTimeout() {
        return type.equals(TIMEOUT);
    }

    @Override
    public String toString() {
        String kind = LogText.of(type);
        return message == null ? kind : "%s: %s".formatted(kind, LogText.of(message));
    }
}
