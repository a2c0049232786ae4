package io.sagaspring.run;

/**
 * Somebody else drives the run, nobody does any more, or its journal has lost what was to be continued. What was to be written
 * was not.
 *
 * @since 0.1.0
 */
public final class FencedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * A refusal.
     *
     * @param runLease what was thought to be driven
     */
    public FencedException(RunLease runLease) {
        super(
                "%s is no longer driven here: another node has taken it up, it was given up, or the database has lost entries of its journal that were written. Nothing was written now."
                        .formatted(runLease),
                null,
                false,
                false);
    }
}
