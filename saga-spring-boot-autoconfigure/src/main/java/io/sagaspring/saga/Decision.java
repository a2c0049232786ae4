package io.sagaspring.saga;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The decision about a failed attempt. It is journaled, so a changed policy applies only to later failures.
 *
 * @param next the action to take
 * @param pause the pause before the next attempt, or null
 * @param error the error of the attempt
 * @param retries the number of times that the execution had been retried when the decision was made
 */
record Decision(Next next, @Nullable Duration pause, StepError error, int retries) {

    enum Next {
        /** The step or the compensation is attempted again. */
        AGAIN,
        /** The execution fails, and its completed steps are compensated. */
        UNDO,
        /** The step or the compensation is given up. If the execution is retried, it continues here. */
        GIVE_UP,
        /**
         * The compensation is given up, and earlier steps are compensated nevertheless. If the execution is retried,
         * this compensation is started again.
         */
        PASS_OVER
    }

    static Decision again(Duration pause, StepError error) {
        return new Decision(Next.AGAIN, pause, error, 0);
    }

    /** Returns true if the library will make no further attempt on its own. */
    boolean isGivenUp() {
        return next != Next.AGAIN;
    }

    boolean wasRetried(int retriesNow) {
        return (next == Next.GIVE_UP || next == Next.PASS_OVER) && retriesNow > retries;
    }
}
