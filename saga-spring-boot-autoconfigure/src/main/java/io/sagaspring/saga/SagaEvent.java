package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What happens to an execution on this node. It is told when it happens, and once more where a step is done once more after
 * its process has died.
 *
 * @param kind what happened
 * @param execution of which execution
 * @param saga of which saga
 * @param step of which step, or null where it is about the execution
 * @param attempt which attempt, or 0 where it is about the execution
 * @param took how long a body ran, or how long it is until the next attempt; else null
 * @param error why something failed, or was cancelled
 */
public record SagaEvent(
        Kind kind,
        RunId execution,
        String saga,
        @Nullable String step,
        int attempt,
        @Nullable Duration took,
        @Nullable StepError error) {

    /** What may happen. */
    public enum Kind {
        /** The body of a step begins. */
        STEP_STARTED,
        /** A step is over. */
        STEP_COMPLETED,
        /** An attempt failed. */
        STEP_FAILED,
        /** A step waits: for a callback or a signal. */
        STEP_WAITING,
        /** Somebody said that an asynchronous step is over. */
        STEP_COMPLETED_ASYNC,
        /** Somebody said that an asynchronous step failed. */
        STEP_FAILED_ASYNC,
        /** An attempt, or a wait, was not over in time. */
        STEP_TIMEOUT,
        /** A step is undone. */
        STEP_COMPENSATED,
        /** A step is tried again later. */
        RETRY_SCHEDULED,
        /** Somebody signalled. */
        SIGNAL_RECEIVED,
        /** An execution came to its end. */
        EXECUTION_COMPLETED,
        /** An execution failed. */
        EXECUTION_FAILED,
        /** An execution was cancelled, and is undone. */
        EXECUTION_CANCELLED,
        /** What an execution did could not be undone. */
        EXECUTION_COMPENSATION_FAILED;

        /**
         * The name in logs and metrics.
         *
         * @return such as {@code step.completed_async}
         */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replaceFirst("_", ".");
        }
    }
}
