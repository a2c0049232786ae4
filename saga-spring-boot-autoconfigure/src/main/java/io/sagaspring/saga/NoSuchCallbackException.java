package io.sagaspring.saga;

/**
 * Thrown if no attempt belongs to the given callback. The message gives no details: a caller without a valid token must
 * not learn whether the execution exists.
 *
 * @since 0.1.0
 */
public final class NoSuchCallbackException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoSuchCallbackException() {
        super("No step waits for this callback.");
    }
}
