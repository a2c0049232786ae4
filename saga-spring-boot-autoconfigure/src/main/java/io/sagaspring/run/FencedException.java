package io.sagaspring.run;

/** Somebody else drives the run, or nobody does any more. What was to be written was not. */
public final class FencedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * A refusal.
     *
     * @param driven what was thought to be driven
     */
    public FencedException(Driven driven) {
        super(
                "%s is no longer driven here: another node has taken it up, or it was given up. Nothing was written."
                        .formatted(driven),
                null,
                false,
                false);
    }
}
