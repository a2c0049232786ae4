package io.sagaspring.sample.billing;

import io.sagaspring.definition.Requester;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.sample.web.Storable;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.Workflows;
import jakarta.validation.Valid;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/invoices")
class InvoiceController {

    private final Invoices invoices;
    private final Payments payments;
    private final Workflows workflows;

    InvoiceController(Invoices invoices, Payments payments, Workflows workflows) {
        this.invoices = invoices;
        this.payments = payments;
        this.workflows = workflows;
    }

    @GetMapping("/{id}")
    InvoiceView one(@PathVariable long id) {
        return invoices.findById(id).map(InvoiceView::of).orElseThrow(() -> NotFoundException.of("invoice", id));
    }

    @GetMapping(params = "number")
    List<InvoiceView> bearing(@RequestParam @Storable String number) {
        return invoices.findByNumberOrderById(number).stream()
                .map(InvoiceView::of)
                .toList();
    }

    @GetMapping("/{id}/payments")
    List<PaymentView> payments(@PathVariable long id) {
        if (!invoices.existsById(id)) {
            throw NotFoundException.of("invoice", id);
        }
        return payments.findByInvoiceIdOrderById(id).stream()
                .map(PaymentView::of)
                .toList();
    }

    @PostMapping("/{id}/steps/{stepKey}")
    @Idempotent(operation = "'invoice step'")
    StepAnswer run(@PathVariable long id, @PathVariable String stepKey, Requester requester) {
        TransitionOutcome outcome = workflows.run("invoice", id, stepKey, requester);
        return StepAnswer.of(outcome.orElseThrow());
    }

    @PostMapping("/{id}/steps/apply_payment")
    @Idempotent(operation = "'invoice step'")
    StepAnswer pay(@PathVariable long id, @RequestBody @Valid PaymentRequest payment, Requester requester) {
        TransitionRequest request = TransitionRequest.of("invoice", id, "apply_payment", requester);
        TransitionOutcome outcome = workflows.run(request.with(payment));
        return StepAnswer.of(outcome.orElseThrow());
    }
}
