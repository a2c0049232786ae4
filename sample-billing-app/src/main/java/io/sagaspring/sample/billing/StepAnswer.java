package io.sagaspring.sample.billing;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sagaspring.workflow.TransitionOutcome;
import org.jspecify.annotations.Nullable;

/** The response to a step that succeeded. For other outcomes, the response is a problem detail. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record StepAnswer(String outcome, String status, @Nullable Long newInvoiceId) {

    static StepAnswer of(TransitionOutcome.Completed completed) {
        return new StepAnswer(
                completed.name(), completed.status(), completed.result() instanceof Long clone ? clone : null);
    }
}
