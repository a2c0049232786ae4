package io.sagaspring.idempotency;

/**
 * Thrown if the work was executed, but a repeated request took over the claim in the meantime. The claim had not been
 * renewed for longer than its lease, so the repeated request started the work again. The reply of this work was not
 * stored. Later requests get the reply to the repeated request.
 *
 * @since 0.1.0
 */
public final class SupersededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SupersededException(IdempotencyKey key) {
        super(
                "While the work of the %s was being executed, a repeated request took over the claim, so the work may have taken effect twice. The reply to the repeated request counts. Repeat the request to get that reply."
                        .formatted(key));
    }
}
