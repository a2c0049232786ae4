package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/** A step that must be compensated, and the progress of its compensation. */
final class PendingCompensation<I> {

    private final Done<I> done;
    private int attempt;

    /** The number of attempts before the execution was last retried. */
    private int before;

    private @Nullable Decision givenUp;
    private @Nullable Throwable thrown;

    PendingCompensation(Done<I> done) {
        this.done = done;
    }

    Done<I> done() {
        return done;
    }

    PlannedStep<I> step() {
        return done.step();
    }

    /** Returns the number of the attempt that starts now. */
    int next() {
        return ++attempt;
    }

    /** Returns the number of attempts since the execution was last retried. */
    int attempts() {
        return attempt - before;
    }

    void giveUp(Decision decision, @Nullable Throwable cause) {
        givenUp = decision;
        thrown = cause;
    }

    void beginAgain() {
        before = attempt;
        givenUp = null;
        thrown = null;
    }

    /** Returns true if the compensations of earlier steps must wait, because this one was given up. */
    boolean isStopping() {
        return givenUp != null && givenUp.next() == Decision.Next.GIVE_UP;
    }

    boolean wasRetried(int retriesNow) {
        return givenUp != null && givenUp.wasRetried(retriesNow);
    }

    /**
     * Returns the error, or null if this compensation was not started because a later step's compensation was given up.
     */
    @Nullable
    StepError error() {
        return givenUp == null ? null : givenUp.error();
    }

    @Nullable
    Throwable thrown() {
        return thrown;
    }
}
