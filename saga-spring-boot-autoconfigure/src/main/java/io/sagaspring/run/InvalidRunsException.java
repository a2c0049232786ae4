package io.sagaspring.run;

import io.sagaspring.startup.StartupFaultException;
import java.util.List;

/** Reports beans of type {@link DurableRun} that cannot be executed. */
final class InvalidRunsException extends StartupFaultException {

    private static final long serialVersionUID = 1L;

    /** One sentence for each fault. */
    private final String[] faults;

    InvalidRunsException(List<String> faults) {
        super("This application's run definitions have faults", faults, "Correct each fault as described above.");
        this.faults = faults.toArray(String[]::new);
    }

    List<String> faults() {
        return List.of(faults);
    }
}
