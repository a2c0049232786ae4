package io.sagaspring.idempotency;

/**
 * The work was done, but its claim had been taken over meanwhile: it was silent for longer than its lease, and another
 * request with the same key has begun it again. The reply of that one counts, and this one was not stored.
 *
 * @since 0.1.0
 */
public final class SupersededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SupersededException(IdempotencyKey key) {
        super(
                "The claim of this %s was taken over while its work was done, which may have taken effect twice. The reply of the later one counts."
                        .formatted(key));
    }
}
