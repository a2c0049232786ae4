package io.sagaspring.run;

import java.util.List;

/**
 * Beans of {@link DurableRun} that cannot be run.
 *
 * @since 0.1.0
 */
public final class InvalidRunsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** One sentence each. */
    private final String[] faults;

    InvalidRunsException(List<String> faults) {
        super(String.join(System.lineSeparator(), faults));
        this.faults = faults.toArray(String[]::new);
    }

    /**
     * What is wrong.
     *
     * @return one sentence for each fault
     */
    public List<String> faults() {
        return List.of(faults);
    }
}
