package io.sagaspring.run;

/**
 * Thrown if a node writes to a run that it no longer holds, or whose journal has lost entries. Nothing was
 * written. Another node may be executing the run, or the run may have been given up.
 *
 * @since 0.1.0
 */
public final class FencedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param runLease the lease with which the node tried to write
     */
    public FencedException(RunLease runLease) {
        super(
                "%s is no longer executed here: another node has picked it up, it was given up, or the database has lost entries of its journal. Nothing was written."
                        .formatted(runLease),
                null,
                false,
                false);
    }
}
