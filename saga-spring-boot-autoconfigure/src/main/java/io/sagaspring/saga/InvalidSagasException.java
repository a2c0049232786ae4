package io.sagaspring.saga;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Reports sagas whose definitions are invalid. The exception reports all faults at once. */
final class InvalidSagasException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private final String[] faults;

    InvalidSagasException(List<String> faults) {
        super("This application's saga definitions have faults", faults, "Correct each fault as described above.");
        this.faults = faults.toArray(String[]::new);
    }

    List<String> faults() {
        return List.of(faults);
    }
}
