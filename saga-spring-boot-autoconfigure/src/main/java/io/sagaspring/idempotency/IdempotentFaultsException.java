package io.sagaspring.idempotency;

import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/**
 * Lists the {@link Idempotent} methods that cannot be protected, with their faults.
 *
 * @since 0.1.0
 */
public final class IdempotentFaultsException extends MethodFaultsException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param faults the faults, each a sentence
     */
    public IdempotentFaultsException(List<String> faults) {
        super(Idempotent.class, "would execute repeated requests again", faults);
    }
}
