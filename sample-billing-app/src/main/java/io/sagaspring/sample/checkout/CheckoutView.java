package io.sagaspring.sample.checkout;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.StepError;
import io.sagaspring.saga.StepState;
import io.sagaspring.saga.StepView;
import io.sagaspring.sample.simulation.TroubleException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A checkout as clients see it. */
record CheckoutView(String executionId, RunState state, List<Step> steps, Map<String, Object> context) {

    record Step(
            String name,
            StepState state,
            int attempt,
            @Nullable StepError error) {

        static Step of(StepView seen) {
            StepError error = seen.error();
            return new Step(seen.name(), seen.state(), seen.attempt(), error == null ? null : forClients(error));
        }

        /**
         * Replaces the message of an exception, which may contain SQL and belongs in the logs. An exception is
         * recognized by the dots in its class name.
         */
        private static StepError forClients(StepError error) {
            if (error.type().equals(TroubleException.class.getName())) {
                return new StepError("simulated", error.message());
            }
            return error.details() == null && error.type().contains(".")
                    ? new StepError("error", "The step failed. Only the application's log shows the cause.")
                    : error;
        }
    }

    static CheckoutView of(ExecutionView seen) {
        return new CheckoutView(
                seen.id().toString(),
                seen.state(),
                seen.steps().stream().map(Step::of).toList(),
                seen.context());
    }
}
