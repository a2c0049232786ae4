package io.sagaspring.idempotency;

/**
 * Thrown if a key was used before for a different request. Nothing was executed.
 *
 * @since 0.1.0
 */
public final class KeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    KeyReusedException(IdempotencyKey key) {
        super("The %s was used before for a different request. Send a new key with each new request.".formatted(key));
    }
}
