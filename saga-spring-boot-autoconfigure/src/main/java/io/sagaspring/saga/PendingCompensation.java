package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/** A step that has to be undone, and how far that has come. */
final class PendingCompensation<I> {

    private final Done<I> done;
    private int attempt;

    /** How many attempts were made before somebody retried the execution. */
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

    /** Returns the number of the attempt that begins. */
    int next() {
        return ++attempt;
    }

    /** How many attempts were made since somebody retried the execution. */
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

    /** Tells whether earlier compensations wait until it is done. */
    boolean isStopping() {
        return givenUp != null && givenUp.next() == Decision.Next.GIVE_UP;
    }

    boolean wasRetried(int retriesNow) {
        return givenUp != null && givenUp.wasRetried(retriesNow);
    }

    /** Null if it was not begun, because a later one was given up. */
    @Nullable
    StepError error() {
        return givenUp == null ? null : givenUp.error();
    }

    @Nullable
    Throwable thrown() {
        return thrown;
    }
}
