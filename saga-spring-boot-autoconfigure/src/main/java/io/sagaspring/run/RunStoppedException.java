package io.sagaspring.run;

/**
 * The run is to stop: it was cancelled, or its deadline has passed. Thrown once, at the first thing that it asks for and
 * was not told before. Who catches it may still do what is to be done; then the run is over.
 */
public final class RunStoppedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean cancelled;

    RunStoppedException(boolean cancelled, String why) {
        super(why);
        this.cancelled = cancelled;
    }

    /**
     * Why it is to stop.
     *
     * @return whether somebody has cancelled it, and not its time is over
     */
    public boolean isCancelled() {
        return cancelled;
    }
}
