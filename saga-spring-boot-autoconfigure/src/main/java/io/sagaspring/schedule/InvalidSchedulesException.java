package io.sagaspring.schedule;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Reports the faults of schedules and of their properties. */
final class InvalidSchedulesException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    InvalidSchedulesException(List<String> faults) {
        super(
                String.join(System.lineSeparator(), faults),
                "This application's schedules have faults:%n%n- %s".formatted(String.join("\n- ", faults)),
                "Correct each fault as described above.");
    }
}
