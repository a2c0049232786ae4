package com.example.docs.migrating;

import io.sagaspring.definition.Requester;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.Workflows;
import org.springframework.stereotype.Service;

@Service
class Payouts {

    private final Workflows workflows;

    Payouts(Workflows workflows) {
        this.workflows = workflows;
    }

    boolean pay(long id) {
        TransitionOutcome outcome = workflows.run("payout", id, "pay", Requester.of("job"));
        return outcome instanceof TransitionOutcome.Completed;
    }
}
