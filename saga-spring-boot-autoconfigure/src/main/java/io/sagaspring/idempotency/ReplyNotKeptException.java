package io.sagaspring.idempotency;

/**
 * Thrown if the work was executed already, but its reply could not be stored and cannot be replayed. The work is not
 * executed again.
 *
 * @since 0.1.0
 */
public final class ReplyNotKeptException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ReplyNotKeptException(IdempotencyKey key, String why) {
        super("A request with the %s was executed before, so it was not executed again. Its reply was not stored: %s"
                .formatted(key, why));
    }
}
