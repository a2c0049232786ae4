package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A change of an execution, or of one of its steps, on this node. An event is published when the change happens. If a
 * node dies in a step and the step is executed again, the step's events are published again.
 *
 * @param kind the kind of change
 * @param execution the execution's id
 * @param saga the saga's name
 * @param step the step's name, or null if the event is about the execution
 * @param attempt the number of the attempt, or 0 if the event is about the execution
 * @param took the duration of the step's code, of the wait for the callback, or of the execution so far; for {@link
 *     Kind#RETRY_SCHEDULED}, the time until the next attempt; null if there is no such time
 * @param error the error of the step or of the execution, or null
 * @param at the time at which the event occurred, by this node's clock
 * @param reason the reason for the cancellation, or null
 * @since 0.1.0
 */
public record SagaEvent(
        Kind kind,
        RunId execution,
        String saga,
        @Nullable String step,
        int attempt,
        @Nullable Duration took,
        @Nullable StepError error,
        Instant at,
        @Nullable String reason) {

    static SagaEvent ofStep(
            Kind kind,
            RunId execution,
            String saga,
            String step,
            int attempt,
            @Nullable Duration took,
            @Nullable StepError error) {
        return new SagaEvent(kind, execution, saga, step, attempt, took, error, Instant.now(), null);
    }

    static SagaEvent ofExecution(
            Kind kind, RunId execution, String saga, Instant at, @Nullable StepError error, @Nullable String reason) {
        return new SagaEvent(
                kind, execution, saga, null, 0, Durations.between(execution.madeAt(), at), error, at, reason);
    }

    /** The kinds of events. */
    public enum Kind {
        /** The code of a step, or of its compensation, is about to be called. */
        STEP_STARTED,
        /** A step has completed. */
        STEP_COMPLETED,
        /** An attempt has failed. */
        STEP_FAILED,
        /** A step waits for a callback or a signal. */
        STEP_WAITING,
        /** A callback has completed an asynchronous step. */
        STEP_COMPLETED_ASYNC,
        /** A callback has reported a failure of an asynchronous step. */
        STEP_FAILED_ASYNC,
        /** An attempt, or a wait, did not end in time. */
        STEP_TIMEOUT,
        /** A step was compensated. */
        STEP_COMPENSATED,
        /** A step or a compensation will be attempted again. */
        RETRY_SCHEDULED,
        /** A signal was accepted. */
        SIGNAL_RECEIVED,
        /** All steps of an execution have completed. */
        EXECUTION_COMPLETED,
        /** An execution has failed, and its compensations have completed. */
        EXECUTION_FAILED,
        /** An execution has noticed its cancellation. Its compensations start. */
        EXECUTION_CANCELLED,
        /** A compensation of an execution was given up. */
        EXECUTION_COMPENSATION_FAILED,
        /**
         * An execution has ended as completed, failed or cancelled. It has been compensated if necessary, unless it was
         * given up. Only events of its fire-and-forget steps can follow.
         */
        EXECUTION_ENDED;

        /**
         * Returns the name in logs and metrics.
         *
         * @return the name, such as {@code step.completed_async}
         */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replaceFirst("_", ".");
        }
    }
}
