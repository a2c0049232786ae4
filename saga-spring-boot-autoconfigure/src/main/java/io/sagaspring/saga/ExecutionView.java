package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An execution, as people see it. It is made of the journal, so that it is what is durable.
 *
 * @param id which
 * @param saga of which saga
 * @param key its key, or null
 * @param state where it stands
 * @param error why it failed, or could not be undone
 * @param cause the first cause of a failure, also while and after it is compensated; null in lists, and where it was cancelled
 * @param cancelReason why it is cancelled
 * @param startedAt when it was started
 * @param cancelledAt when it heard that it is cancelled
 * @param dueAt when it goes on by itself, or its lease ends
 * @param endedAt when it was over
 * @param openCompensations the steps that took effect, or may have, and are not compensated yet, in the order in which they
 *     will be; empty unless it is {@code compensating} or {@code compensation_failed}, and in lists
 * @param steps in their order, without those whose condition did not hold; empty in lists
 * @param context what its steps have stored; empty in lists
 * @since 0.1.0
 */
public record ExecutionView(
        RunId id,
        String saga,
        @Nullable String key,
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

    /**
     * One step.
     *
     * @param name its name
     * @return empty if there is none, or its condition did not hold
     */
    public Optional<StepView> step(String name) {
        return steps.stream().filter(each -> each.name().equals(name)).findFirst();
    }
}
