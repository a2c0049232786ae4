package io.sagaspring.run;

/**
 * Thrown if a run is unknown, was removed after its end, or belongs to another tenant.
 *
 * @since 0.1.0
 */
public final class NoSuchRunException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param id the id for which no run was found
     */
    public NoSuchRunException(RunId id) {
        super(
                "There is no run %s. It was never started, its start was rolled back, or it ended longer than saga.runs.retention ago and was removed."
                        .formatted(id));
    }
}
