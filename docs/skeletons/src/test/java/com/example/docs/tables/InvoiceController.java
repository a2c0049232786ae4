package com.example.docs.tables;

import io.sagaspring.definition.Requester;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class InvoiceController {

    private final Workflows workflows;

    InvoiceController(Workflows workflows) {
        this.workflows = workflows;
    }

    @PostMapping("/invoices/{id}/pay")
    TransitionOutcome.Completed pay(@PathVariable long id) {
        return workflows.run("invoice", id, "pay", Requester.of("clerk")).orElseThrow();
    }
}
