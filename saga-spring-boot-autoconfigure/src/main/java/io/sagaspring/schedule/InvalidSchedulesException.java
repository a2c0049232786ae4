package io.sagaspring.schedule;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Reports the faults of schedules and of their properties. */
final class InvalidSchedulesException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    InvalidSchedulesException(List<String> faults) {
        super("This application's schedules have faults", faults, "Correct each fault as described above.");
    }
}
