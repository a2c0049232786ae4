package io.sagaspring.idempotency;

/**
 * Thrown if the owner of a new key has reached its limit of keys. Nothing was executed. Repeated requests with known
 * keys are still answered.
 *
 * @since 0.1.0
 */
public final class TooManyKeysException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TooManyKeysException(IdempotencyKey key, int most) {
        super(
                "The %s is new, and its owner has the %d keys that saga.idempotency.max-keys-per-owner allows. Repeat the request when earlier keys have expired, or raise the limit."
                        .formatted(key, most));
    }
}
