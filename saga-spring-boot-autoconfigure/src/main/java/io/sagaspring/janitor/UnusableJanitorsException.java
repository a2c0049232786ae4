package io.sagaspring.janitor;

/**
 * Janitors are there and would free nothing. The application must not start.
 *
 * @since 0.1.0
 */
public final class UnusableJanitorsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    UnusableJanitorsException(String description, String action) {
        super(description);
        this.action = action;
    }

    /**
     * Returns what the reader can do about it.
     *
     * @return one or more sentences
     */
    public String action() {
        return action;
    }
}
