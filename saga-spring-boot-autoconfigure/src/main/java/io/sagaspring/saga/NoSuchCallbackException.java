package io.sagaspring.saga;

/**
 * Thrown if the token or the external id of a callback belongs to no attempt of a step. The message gives no details: a
 * caller without a valid token must not learn whether the execution exists.
 *
 * @since 0.1.0
 */
public final class NoSuchCallbackException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoSuchCallbackException() {
        super("No step waits for this callback.");
    }
}
