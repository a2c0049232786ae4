package io.sagaspring.listener;

import io.sagaspring.method.MethodFaultsException;
import java.util.List;

/** Reports methods annotated {@link DurableListener} that cannot receive events. The application fails at start-up. */
final class InvalidListenersException extends MethodFaultsException {

    private static final long serialVersionUID = 1L;

    InvalidListenersException(List<String> faults) {
        super(DurableListener.class, "would lose events", faults);
    }
}
