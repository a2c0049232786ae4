package io.sagaspring.idempotency;

/**
 * The key was used before, for another request. Nothing was done.
 *
 * @since 0.1.0
 */
public final class KeyReusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    KeyReusedException(IdempotencyKey key) {
        super("This %s was used before, for a request that said something else. A new request needs a new key."
                .formatted(key));
    }
}
