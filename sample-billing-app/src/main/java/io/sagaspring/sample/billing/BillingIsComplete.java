package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.StepValidation;
import java.util.List;
import org.springframework.stereotype.Component;

@Component
class BillingIsComplete implements StepValidation<Billing> {

    @Override
    public List<String> validate(Billing billing, ActionContext context) {
        return billing.liveInvoices().isEmpty()
                ? List.of("A billing needs at least one invoice before it can be closed.")
                : List.of();
    }
}
