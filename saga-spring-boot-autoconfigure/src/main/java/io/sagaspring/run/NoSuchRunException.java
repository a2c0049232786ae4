package io.sagaspring.run;

/**
 * There is no run of this id, or there is none any more.
 *
 * @since 0.1.0
 */
public final class NoSuchRunException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * There is no run with this id.
     *
     * @param id that was asked for
     */
    public NoSuchRunException(RunId id) {
        super(
                "There is no run %s. It was never started, its start was rolled back, or it was over so long ago that it was removed (saga.runs.retention)."
                        .formatted(id));
    }
}
