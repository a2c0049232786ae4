package io.sagaspring.idempotency;

/**
 * The work was done before, and its reply could not be stored, so that it cannot be replayed. It is not done again.
 *
 * @since 0.1.0
 */
public final class ReplyNotKeptException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ReplyNotKeptException(IdempotencyKey key, String why) {
        super(
                "The request with this %s was carried out before, and its reply was not kept: %s It was not carried out again."
                        .formatted(key, why));
    }
}
