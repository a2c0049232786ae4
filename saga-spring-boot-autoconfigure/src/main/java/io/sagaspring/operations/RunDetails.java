package io.sagaspring.operations;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.FailureCause;
import io.sagaspring.saga.StepState;
import io.sagaspring.saga.StepView;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run with all details that a person needs to find a fault. The run's input and stored values are left out, because
 * they may be secret.
 *
 * @param run the run with its journal
 * @param cause the first cause of the run's failure, or null if the run has not failed
 * @param sagaSteps the steps of an execution of a saga; empty for other runs
 * @param openCompensations the steps of an execution that are still to be compensated
 * @since 0.1.0
 */
public record RunDetails(
        @JsonUnwrapped RunView run, @Nullable Cause cause, List<SagaStep> sagaSteps, List<String> openCompensations) {

    /**
     * The first cause of a failure. If a compensation fails later, the first cause stays the same.
     *
     * @param step the saga's step that failed, or null if no step of a saga failed
     * @param error the exception, or the message of the callback that failed the step
     * @param trace the application's stack frames, and each cause with its own frames
     * @param at the time when the failure was journaled; if the run is not an execution, the time when the run ended
     */
    public record Cause(
            @Nullable String step,
            String error,
            List<String> trace,
            @Nullable Instant at) {}

    /**
     * One step of a saga.
     *
     * @param name the step's name
     * @param state the state of the step
     * @param attempt the number of the latest known attempt
     * @param error the error of the latest attempt or compensation, or null if there was none
     * @param trace the application's stack frames of that error
     * @param startedAt the time from which it was the step's turn
     * @param waitingSince the time at which the step began to wait for a callback or a signal
     * @param deadline the time at which that wait times out
     * @param nextAttemptAt the time of the next attempt
     * @param endedAt the time when the step ended
     * @param compensatedAt the time when the step was compensated
     * @param run the id of the run that executes the step, or null if the step is not fire-and-forget
     */
    public record SagaStep(
            String name,
            StepState state,
            int attempt,
            @Nullable String error,
            List<String> trace,
            @Nullable Instant startedAt,
            @Nullable Instant waitingSince,
            @Nullable Instant deadline,
            @Nullable Instant nextAttemptAt,
            @Nullable Instant endedAt,
            @Nullable Instant compensatedAt,
            @Nullable RunId run) {

        static SagaStep of(StepView step) {
            return new SagaStep(
                    step.name(),
                    step.state(),
                    step.attempt(),
                    step.error() == null ? null : step.error().toString(),
                    step.trace(),
                    step.startedAt(),
                    step.waitingSince(),
                    step.deadline(),
                    step.nextAttemptAt(),
                    step.endedAt(),
                    step.compensatedAt(),
                    step.run());
        }
    }

    /**
     * Collects the details of a run.
     *
     * @param run the run with its journal
     * @param execution the execution of a saga, or empty if the run is not one
     * @return the details
     */
    public static RunDetails of(RunView run, Optional<ExecutionView> execution) {
        return execution
                .map(each -> new RunDetails(
                        run,
                        each.cause() == null ? null : cause(each.cause()),
                        each.steps().stream().map(SagaStep::of).toList(),
                        each.openCompensations()))
                .orElseGet(() -> new RunDetails(run, causeOf(run), List.of(), List.of()));
    }

    private static Cause cause(FailureCause cause) {
        return new Cause(cause.step(), cause.error().toString(), cause.trace(), cause.at());
    }

    /** Parses a stored error: the first line is the exception, and the others are its stack frames and causes. */
    private static @Nullable Cause causeOf(RunView run) {
        String error = run.error();
        if (error == null || (run.state() != RunState.FAILED && run.state() != RunState.COMPENSATION_FAILED)) {
            return null;
        }
        List<String> lines = error.lines()
                .map(line -> line.startsWith("\tat ") ? line.substring("\tat ".length()) : line)
                .toList();
        return new Cause(null, lines.get(0), lines.subList(1, lines.size()), run.endedAt());
    }
}
