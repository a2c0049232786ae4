package io.sagaspring.sample.page;

import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import io.sagaspring.workflow.Workflows;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Returns the definitions of the workflows. The page uses them to draw its diagrams and to offer the next steps. */
@RestController
class WorkflowsController {

    private final Workflows workflows;

    WorkflowsController(Workflows workflows) {
        this.workflows = workflows;
    }

    @GetMapping("/api/workflows")
    List<Workflow> all() {
        return workflows.definitions().stream().map(Workflow::of).toList();
    }

    record Workflow(
            String name,
            String module,
            List<String> states,
            List<String> claimStates,
            List<String> requesters,
            List<Step> steps) {

        static Workflow of(WorkflowDefinition definition) {
            List<Step> steps = definition.steps().stream().map(Step::of).toList();
            List<String> claimStates = steps.stream()
                    .flatMap(step -> step.claim().values().stream())
                    .map(StepDefinition.ClaimPair::into)
                    .distinct()
                    .toList();
            return new Workflow(
                    definition.name(),
                    definition.module(),
                    definition.statusTypes(),
                    claimStates,
                    definition.requesters().stream().map(Requester::name).toList(),
                    steps);
        }
    }

    /** A step. The keys of the maps are requesters or {@code any}. */
    record Step(String key, String from, Map<String, String> to, Map<String, StepDefinition.ClaimPair> claim) {

        static Step of(StepDefinition step) {
            return new Step(
                    step.key(),
                    step.status(),
                    step.successfulState().entries(),
                    step.claimState().entries());
        }
    }
}
