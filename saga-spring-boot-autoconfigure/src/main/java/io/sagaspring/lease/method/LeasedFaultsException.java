package io.sagaspring.lease.method;

import io.sagaspring.lease.Leased;
import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/** Reports methods annotated {@link Leased} that cannot run under a lease. The application fails at start-up. */
final class LeasedFaultsException extends MethodFaultsException {

    private static final long serialVersionUID = 1L;

    LeasedFaultsException(List<String> faults) {
        super(Leased.class, "would run without their lease", faults);
    }
}
