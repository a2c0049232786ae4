package io.sagaspring.sample.checkout;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.StepView;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A checkout as the page shows it: the times of its events, and the event that it waits for. */
record CheckoutTimeline(
        String executionId,
        String orderId,
        RunState state,
        Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable String cancelReason,
        List<StepView> steps) {

    static CheckoutTimeline of(ExecutionView seen) {
        return new CheckoutTimeline(
                seen.id().toString(),
                CheckoutSaga.orderOf(seen),
                seen.state(),
                seen.startedAt(),
                seen.endedAt(),
                seen.cancelReason(),
                seen.steps().stream().map(CheckoutTimeline::forClients).toList());
    }

    /** Returns the step with the error as clients may see it. */
    private static StepView forClients(StepView seen) {
        return new StepView(
                seen.name(),
                seen.state(),
                seen.attempt(),
                CheckoutView.Step.of(seen).error(),
                List.of(),
                seen.startedAt(),
                seen.waitingSince(),
                seen.deadline(),
                seen.heartbeatAt(),
                seen.nextAttemptAt(),
                seen.endedAt(),
                seen.compensatedAt(),
                seen.emptyRollback(),
                null);
    }
}
