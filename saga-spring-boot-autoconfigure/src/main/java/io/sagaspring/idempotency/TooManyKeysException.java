package io.sagaspring.idempotency;

/**
 * The owner of a new key has as many as it may have. Nothing was done; repetitions of earlier requests are still answered.
 *
 * @since 0.1.0
 */
public final class TooManyKeysException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TooManyKeysException(IdempotencyKey key, int most) {
        super(
                "The %s is new, and its owner has the %d keys that saga.idempotency.max-keys-per-owner allows. Ask again when earlier ones have expired, or raise the limit."
                        .formatted(key, most));
    }
}
