package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of an execution, for display. It is derived from the journal, so it shows only what is durable.
 *
 * @param id the execution's id
 * @param saga the saga's name
 * @param key the execution's idempotency key, or null
 * @param tenant the tenant of the execution, or null
 * @param labels the value of each label, by its name
 * @param state the state
 * @param error the error of a failed execution, or of the compensation that was given up; null in lists
 * @param cause the first cause of a failure, also during and after compensation; null in lists, and if the
 *     execution was cancelled
 * @param cancelReason the reason for the cancellation, or null
 * @param startedAt the time of the start
 * @param cancelledAt the time at which the execution noticed its cancellation; null in lists
 * @param dueAt the time at which the execution continues on its own, or at which its lease ends; null if neither
 *     applies
 * @param endedAt the time of the end, or null if the execution has not ended
 * @param openCompensations the steps that took effect, or may have, and that are not yet compensated, in the order in
 *     which they will be compensated; empty in lists, and in all states but {@code compensating} and {@code
 *     compensation_failed}
 * @param steps the steps in order, without those whose condition was false; empty in lists
 * @param context the values that steps have stored; empty in lists
 * @since 0.1.0
 */
public record ExecutionView(
        RunId id,
        String saga,
        @Nullable String key,
        @Nullable String tenant,
        Map<String, String> labels,
        RunState state,
        @Nullable StepError error,
        @Nullable FailureCause cause,
        @Nullable String cancelReason,
        Instant startedAt,
        @Nullable Instant cancelledAt,
        @Nullable Instant dueAt,
        @Nullable Instant endedAt,
        List<String> openCompensations,
        List<StepView> steps,
        Map<String, Object> context) {

    /** Returns the part of the view that does not need the journal. */
    static ExecutionView withoutSteps(RunRow row) {
        return new ExecutionView(
                row.id(),
                row.run(),
                row.key(),
                row.tenant(),
                row.labels(),
                row.state(),
                null,
                null,
                row.cancelReason(),
                row.startedAt(),
                null,
                row.dueAt(),
                row.endedAt(),
                List.of(),
                List.of(),
                Map.of());
    }

    /**
     * Returns one step.
     *
     * @param name the step's name
     * @return the step, or empty if the saga has no such step or its condition was false
     */
    public Optional<StepView> step(String name) {
        return steps.stream().filter(each -> each.name().equals(name)).findFirst();
    }
}
