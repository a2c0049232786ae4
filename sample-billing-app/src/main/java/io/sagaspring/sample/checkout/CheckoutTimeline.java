package io.sagaspring.sample.checkout;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.StepError;
import io.sagaspring.saga.StepState;
import io.sagaspring.saga.StepView;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A checkout for people: what happened when, and what is waited for. */
record CheckoutTimeline(
        String executionId,
        String orderId,
        RunState state,
        Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable String cancelReason,
        List<Step> steps) {

    record Step(
            String name,
            StepState state,
            int attempt,
            @Nullable StepError error,
            @Nullable Instant startedAt,
            @Nullable Instant waitingSince,
            @Nullable Instant deadline,
            @Nullable Instant heartbeatAt,
            @Nullable Instant nextAttemptAt,
            @Nullable Instant endedAt,
            @Nullable Instant compensatedAt,
            boolean emptyRollback) {

        static Step of(StepView seen) {
            return new Step(
                    seen.name(),
                    seen.state(),
                    seen.attempt(),
                    CheckoutView.Step.of(seen).error(),
                    seen.startedAt(),
                    seen.waitingSince(),
                    seen.deadline(),
                    seen.heartbeatAt(),
                    seen.nextAttemptAt(),
                    seen.endedAt(),
                    seen.compensatedAt(),
                    seen.emptyRollback());
        }
    }

    static CheckoutTimeline of(ExecutionView seen) {
        return new CheckoutTimeline(
                seen.id().toString(),
                CheckoutSaga.orderOf(seen),
                seen.state(),
                seen.startedAt(),
                seen.endedAt(),
                seen.cancelReason(),
                seen.steps().stream().map(Step::of).toList());
    }
}
