package io.sagaspring.idempotency;

import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/**
 * Methods that are annotated {@link Idempotent} and could not be protected.
 *
 * @since 0.1.0
 */
public final class IdempotentFaultsException extends MethodFaultsException {

    private static final long serialVersionUID = 1L;

    /**
     * The refusal.
     *
     * @param faults each a sentence
     */
    public IdempotentFaultsException(List<String> faults) {
        super(Idempotent.class, "would be carried out twice nevertheless", faults);
    }
}
