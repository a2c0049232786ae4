package io.sagaspring.saga;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Sagas whose definitions are invalid. The exception lists all faults at once. */
final class InvalidSagasException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private final String[] faults;

    InvalidSagasException(List<String> faults) {
        super(
                String.join("\n", faults),
                "The definitions of sagas of this application have faults:%n%n- %s"
                        .formatted(String.join("\n- ", faults)),
                "Correct each fault as its sentence says.");
        this.faults = faults.toArray(String[]::new);
    }

    List<String> faults() {
        return List.of(faults);
    }
}
