package io.sagaspring.startup;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the application cannot start because its code, its configuration or its database does not fit this library.
 * One exception reports all faults of the same kind.
 *
 * @since 0.1.0
 */
public abstract class StartupFaultException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Creates an exception.
     *
     * @param message the faults, for a stack trace
     * @param description the faults, for the report of a failed start
     * @param action the remedy
     */
    protected StartupFaultException(String message, String description, String action) {
        this(message, description, action, null);
    }

    /**
     * Creates an exception that lists faults.
     *
     * @param heading the sentence before the list, without its final colon
     * @param faults one or more sentences for each fault
     * @param action the remedy
     */
    protected StartupFaultException(String heading, List<String> faults, String action) {
        this(
                String.join(System.lineSeparator(), faults),
                "%s:%n%n- %s".formatted(heading, String.join("\n- ", faults)),
                action);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message the faults, for a stack trace
     * @param description the faults, for the report of a failed start
     * @param action the remedy
     * @param cause the cause, or null
     */
    protected StartupFaultException(String message, String description, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.description = description;
        this.action = action;
    }

    /**
     * Describes the faults and the values that cause them.
     *
     * @return one or more sentences
     */
    public final String description() {
        return description;
    }

    /**
     * Describes the remedy.
     *
     * @return one or more sentences
     */
    public final String action() {
        return action;
    }
}
