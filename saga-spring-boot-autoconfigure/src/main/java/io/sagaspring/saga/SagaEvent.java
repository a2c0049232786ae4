package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A change of an execution, or of one of its steps, on this node. An event is published when it happens, and once more where a
 * step is executed once more after its process has died.
 *
 * @param kind the kind of change
 * @param execution the execution's id
 * @param saga the saga's name
 * @param step the step's name, or null where the event is about the execution
 * @param attempt the number of the attempt, or 0 where the event is about the execution
 * @param took how long the step's code ran, a callback was waited for, or the execution took since its start; for
 *     {@link Kind#RETRY_SCHEDULED} how long it is until the next attempt; null where nothing has lasted
 * @param error why a step or the execution failed
 * @param at when it happened, by the clock of this node
 * @param reason why the execution was cancelled
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
        /** All steps of an execution are completed. */
        EXECUTION_COMPLETED,
        /** An execution failed, and what it did is compensated. */
        EXECUTION_FAILED,
        /** An execution has heard that it is cancelled. Its compensations begin. */
        EXECUTION_CANCELLED,
        /** A compensation of an execution was given up. */
        EXECUTION_COMPENSATION_FAILED,
        /** An execution has ended: completed, failed or cancelled, and compensated. The last event of an execution. */
        EXECUTION_ENDED;

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
