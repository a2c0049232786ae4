package io.sagaspring.startup;

import org.jspecify.annotations.Nullable;

/**
 * The application does not start: its code, its configuration or its database is not as this library needs it. All faults of a
 * kind are named at once.
 *
 * @since 0.1.0
 */
public abstract class StartupFaultException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * Creates the exception of a capability.
     *
     * @param message the faults, for a stack trace
     * @param description the faults, for the report of a failed start
     * @param action what the reader can do about them
     */
    protected StartupFaultException(String message, String description, String action) {
        this(message, description, action, null);
    }

    /**
     * Creates the exception of a capability that was told by another exception.
     *
     * @param message the faults, for a stack trace
     * @param description the faults, for the report of a failed start
     * @param action what the reader can do about them
     * @param cause what was thrown, or null
     */
    protected StartupFaultException(String message, String description, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.description = description;
        this.action = action;
    }

    /**
     * Describes what is wrong, with which values.
     *
     * @return one or more sentences
     */
    public final String description() {
        return description;
    }

    /**
     * Says what the reader can do about it.
     *
     * @return one or more sentences
     */
    public final String action() {
        return action;
    }
}
