package io.sagaspring.idempotency;

/**
 * Thrown if the work was executed, but another owner took over its claim in the meantime. This owner sent no heartbeat
 * for longer than its lease, and a repeated request started the work again. The reply of the repeated request counts;
 * this one was not stored.
 *
 * @since 0.1.0
 */
public final class SupersededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SupersededException(IdempotencyKey key) {
        super(
                "The claim of the %s was taken over by a repeated request while its work was executing, so the work may have taken effect twice. The reply to the repeated request counts. Repeat the request to get it."
                        .formatted(key));
    }
}
