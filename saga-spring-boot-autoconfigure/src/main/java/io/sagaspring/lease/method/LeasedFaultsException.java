package io.sagaspring.lease.method;

import io.sagaspring.lease.Leased;
import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/** Methods that are annotated {@link Leased} and could not be protected. The application does not start. */
final class LeasedFaultsException extends MethodFaultsException {

    private static final long serialVersionUID = 1L;

    /**
     * The refusal.
     *
     * @param faults each a sentence
     */
    LeasedFaultsException(List<String> faults) {
        super(Leased.class, "would run without their lease nevertheless", faults);
    }
}
