package com.example.docs.claims;

import static io.sagaspring.run.Retry.retry;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.sagaspring.definition.Requester;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.StepContext;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.Workflows;
import org.springframework.stereotype.Component;

@Component
class ReportSaga implements Saga<Long> {

    private static final Requester SYSTEM = Requester.of("system");
    private static final Layout A4 = new Layout("A4", 0);

    private final Workflows workflows;

    ReportSaga(Workflows workflows) {
        this.workflows = workflows;
    }

    @Override
    public void define(SagaDefinition<Long> saga) {
        saga.step("render", this::render)
                .retry(retry().max(12).exponential(ofSeconds(1)).maxDelay(ofMinutes(2)));
    }

    private String render(StepContext<Long> context) {
        return workflows
                .run(TransitionRequest.of("report", context.input(), "render", SYSTEM)
                        .with(A4)
                        .effectKey(context.effectKey()))
                .orElseThrow()
                .status();
    }
}
