package io.sagaspring.saga;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Definitions that would not do what they say. All that is wrong is told at once. */
final class InvalidSagasException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    private final String[] faults;

    InvalidSagasException(List<String> faults) {
        super(
                String.join("\n", faults),
                "Sagas of this application would not do what they say:%n%n- %s".formatted(String.join("\n- ", faults)),
                "Change each as its sentence says.");
        this.faults = faults.toArray(String[]::new);
    }

    List<String> faults() {
        return List.of(faults);
    }
}
