package io.sagaspring.run;

import java.util.UUID;

/**
 * Thrown if an ended run cannot continue, because another run was started with its key and has not ended.
 *
 * @since 0.1.0
 */
public final class KeyInUseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final UUID successor;

    /**
     * Creates an exception for a run that was to be retried.
     *
     * @param run the ended run
     * @param successor the open run with the same key
     * @param key the key
     */
    public KeyInUseException(RunId run, RunId successor, String key) {
        super(
                "Run %s cannot be retried: run %s was started with its key '%s' meanwhile. Wait until that run has ended, or cancel it."
                        .formatted(run, successor, key));
        this.successor = successor.value();
    }

    /**
     * Returns the run that has the key.
     *
     * @return the id of the open run
     */
    public RunId successor() {
        return new RunId(successor);
    }
}
