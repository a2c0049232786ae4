package io.sagaspring.run;

import java.util.List;

/** Beans of {@link DurableRun} that cannot be run. */
public final class InvalidRunsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** One sentence each. */
    private final transient List<String> faults;

    InvalidRunsException(List<String> faults) {
        super(String.join(System.lineSeparator(), faults));
        this.faults = List.copyOf(faults);
    }

    /**
     * What is wrong.
     *
     * @return one sentence for each fault
     */
    public List<String> faults() {
        return faults;
    }
}
