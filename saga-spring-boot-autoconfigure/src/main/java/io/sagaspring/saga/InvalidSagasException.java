package io.sagaspring.saga;

import java.util.List;

/**
 * Definitions that would not do what they say. All that is wrong is told at once.
 *
 * @since 0.1.0
 */
public final class InvalidSagasException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String[] faults;

    InvalidSagasException(List<String> faults) {
        super(String.join("\n", faults));
        this.faults = faults.toArray(String[]::new);
    }

    /**
     * What is wrong.
     *
     * @return one sentence each
     */
    public List<String> faults() {
        return List.of(faults);
    }
}
