package io.sagaspring.saga;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is done about an attempt that failed. It is journaled, so that a policy that was changed since holds for what fails from
 * then on.
 *
 * @param next what is done
 * @param pause until the next attempt
 * @param error why it failed
 * @param retries how often somebody had retried the execution by then
 */
record Decision(Next next, @Nullable Duration pause, StepError error, int retries) {

    /** What may be done. */
    enum Next {
        /** It is tried again. */
        AGAIN,
        /** Something was done that is undone. */
        UNDO,
        /** The execution fails, or cannot be undone; it goes on if somebody retries it. */
        GIVE_UP,
        /** It cannot be undone, and earlier steps are undone nevertheless; it is tried again if somebody retries the execution. */
        PASS_OVER
    }

    static Decision again(Duration pause, StepError error) {
        return new Decision(Next.AGAIN, pause, error, 0);
    }

    /** Tells whether the step waits for somebody, or the execution is compensated. */
    boolean isGivenUp() {
        return next != Next.AGAIN;
    }

    boolean wasRetried(int retriesNow) {
        return (next == Next.GIVE_UP || next == Next.PASS_OVER) && retriesNow > retries;
    }
}
