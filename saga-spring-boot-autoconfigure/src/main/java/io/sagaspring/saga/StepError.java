package io.sagaspring.saga;

import io.sagaspring.fence.LogText;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The error of a failed step.
 *
 * @param type the kind of failure: the name of an exception's class, a constant of this class such as {@link #TIMEOUT},
 *     or the type that a callback provided
 * @param message the description of the failure
 * @param details further details of the failure, or null
 * @since 0.1.0
 */
public record StepError(
        String type, @Nullable String message, @Nullable Map<String, Object> details) {

    /** The type of an error for a step or an execution that did not complete in time. */
    public static final String TIMEOUT = "timeout";

    /**
     * The type of an error for a result that cannot be stored, for example because it would overwrite another step's
     * value.
     */
    public static final String CONTEXT = "context";

    /** The type of an error for a callback or a signal that cannot be read. */
    public static final String UNREADABLE = "unreadable";

    private static final int LONGEST_MESSAGE = 1_000;

    /**
     * Creates an error that can be journaled. An empty type becomes {@code error}, and a long message is truncated.
     *
     * @param type the kind of failure
     * @param message the description of the failure
     * @param details further details of the failure, or null
     */
    public StepError {
        type = type == null || type.isBlank() ? "error" : type;
        message = message == null || message.length() <= LONGEST_MESSAGE
                ? message
                : message.substring(0, LONGEST_MESSAGE) + "…";
    }

    /**
     * Creates an error without details.
     *
     * @param type the kind of failure
     * @param message the description of the failure
     */
    public StepError(String type, @Nullable String message) {
        this(type, message, null);
    }

    /** Returns the error of an execution that did not complete within its saga's timeout. */
    static StepError late() {
        return new StepError(TIMEOUT, "The execution did not complete within the timeout of its saga.");
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
