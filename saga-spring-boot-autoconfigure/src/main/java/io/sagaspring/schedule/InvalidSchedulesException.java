package io.sagaspring.schedule;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Reports schedules that could never fire as declared. */
final class InvalidSchedulesException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    InvalidSchedulesException(List<String> faults) {
        super(
                String.join(System.lineSeparator(), faults),
                "This application's schedules have faults:%n%n- %s".formatted(String.join("\n- ", faults)),
                "Correct each fault as described above.");
    }
}
