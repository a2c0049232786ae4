package io.sagaspring.saga;

import java.util.List;

/** Definitions that would not do what they say. All that is wrong is told at once. */
public final class InvalidSagasException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final List<String> faults;

    InvalidSagasException(List<String> faults) {
        super(String.join("\n", faults));
        this.faults = List.copyOf(faults);
    }

    /**
     * What is wrong.
     *
     * @return one sentence each
     */
    public List<String> faults() {
        return faults;
    }
}
