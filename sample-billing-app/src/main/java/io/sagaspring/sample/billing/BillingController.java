package io.sagaspring.sample.billing;

import io.sagaspring.definition.Requester;
import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.URI;
import java.util.List;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.PageRequest;
import org.springframework.data.domain.Sort;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/billings")
class BillingController {

    private final Billings billings;
    private final Workflows workflows;

    BillingController(Billings billings, Workflows workflows) {
        this.billings = billings;
        this.workflows = workflows;
    }

    @PostMapping
    ResponseEntity<BillingView> open(@RequestBody @Valid BillingRequest request) {
        BillingView billing = BillingView.of(billings.save(request.toBilling()));
        return ResponseEntity.created(URI.create("/api/billings/" + billing.id()))
                .body(billing);
    }

    @GetMapping("/{id}")
    BillingView one(@PathVariable long id) {
        return billings.findById(id).map(BillingView::of).orElseThrow(() -> NotFoundException.of("billing", id));
    }

    @GetMapping
    @Transactional(readOnly = true)
    BillingPage all(
            @RequestParam(defaultValue = "0") @Min(0) @Max(10_000_000) int page,
            @RequestParam(defaultValue = "20") @Min(1) @Max(200) int size) {
        return BillingPage.of(billings.findAll(PageRequest.of(page, size, Sort.by("id"))));
    }

    @PostMapping("/{id}/steps/{stepKey}")
    StepAnswer run(@PathVariable long id, @PathVariable String stepKey, Requester requester) {
        TransitionOutcome outcome = workflows.run("billing", id, stepKey, requester);
        return StepAnswer.of(outcome.orElseThrow());
    }

    record BillingPage(List<BillingView> content, int page, int size, long total) {

        static BillingPage of(Page<Billing> page) {
            return new BillingPage(
                    page.map(BillingView::of).getContent(), page.getNumber(), page.getSize(), page.getTotalElements());
        }
    }
}
