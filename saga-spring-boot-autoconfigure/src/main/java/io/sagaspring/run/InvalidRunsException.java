package io.sagaspring.run;

import java.util.List;

/**
 * Beans of type {@link DurableRun} that cannot be executed.
 *
 * @since 0.1.0
 */
public final class InvalidRunsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** One sentence for each mistake. */
    private final String[] faults;

    InvalidRunsException(List<String> faults) {
        super(String.join(System.lineSeparator(), faults));
        this.faults = faults.toArray(String[]::new);
    }

    /**
     * Returns the mistakes.
     *
     * @return one sentence for each mistake
     */
    public List<String> faults() {
        return List.of(faults);
    }
}
