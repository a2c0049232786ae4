package io.sagaspring.run;

/**
 * Refuses a write to a run that this node does not hold any more, or whose journal has lost entries. Nothing was written. Another node
 * may execute the run, or no node any more.
 *
 * @since 0.1.0
 */
public final class FencedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param runLease the lease with which the node wrote
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
