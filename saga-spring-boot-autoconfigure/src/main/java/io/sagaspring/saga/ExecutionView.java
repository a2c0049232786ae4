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
 * @param cancelReason why it is cancelled
 * @param startedAt when it was started
 * @param cancelledAt when it heard that it is cancelled
 * @param dueAt when it goes on by itself, or its lease ends
 * @param endedAt when it was over
 * @param steps in their order, without those whose condition did not hold; empty in lists
 * @param context what its steps have stored; empty in lists
 */
public record ExecutionView(
        RunId id,
        String saga,
        @Nullable String key,
        RunState state,
        @Nullable StepError error,
        @Nullable String cancelReason,
        Instant startedAt,
        @Nullable Instant cancelledAt,
        @Nullable Instant dueAt,
        @Nullable Instant endedAt,
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
