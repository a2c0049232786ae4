package io.sagaspring.sample.checkout;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A checkout in a list. */
record CheckoutSummary(
        String executionId,
        String orderId,
        RunState state,
        Instant startedAt,
        @Nullable Instant endedAt) {

    static CheckoutSummary of(ExecutionView seen) {
        return new CheckoutSummary(
                seen.id().toString(), CheckoutSaga.orderOf(seen), seen.state(), seen.startedAt(), seen.endedAt());
    }
}
