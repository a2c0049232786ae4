package io.sagaspring.saga;

/**
 * Nobody waits for that. It says no more: who has no token is not told whether there is such an execution.
 *
 * @since 0.1.0
 */
public final class NoSuchCallbackException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoSuchCallbackException() {
        super("Nobody waits for this callback.");
    }
}
