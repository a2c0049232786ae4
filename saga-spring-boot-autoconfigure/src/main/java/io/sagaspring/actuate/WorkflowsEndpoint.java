package io.sagaspring.actuate;

import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.definition.WorkflowDefinition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/** Lists the configured workflows, each with its diagram. */
@Endpoint(id = "sagaworkflows", defaultAccess = Access.READ_ONLY)
final class WorkflowsEndpoint {

    private final Supplier<Collection<WorkflowDefinition>> workflows;

    public WorkflowsEndpoint(Supplier<Collection<WorkflowDefinition>> workflows) {
        this.workflows = workflows;
    }

    /**
     * The configured workflows.
     *
     * @param workflows the workflows, in the order of the configuration
     */
    public record Workflows(List<Workflow> workflows) {}

    /**
     * One workflow.
     *
     * @param name the workflow's name
     * @param module the workflow's module
     * @param entity the class name of the workflow's entity
     * @param statusProperty the entity's property that holds the status
     * @param statusTypes all statuses
     * @param requesters all requesters
     * @param steps the steps
     * @param diagram the statuses and steps as a Mermaid diagram
     */
    public record Workflow(
            String name,
            String module,
            String entity,
            String statusProperty,
            List<String> statusTypes,
            List<String> requesters,
            List<Step> steps,
            String diagram) {

        static Workflow of(WorkflowDefinition definition) {
            return new Workflow(
                    definition.name(),
                    definition.module(),
                    definition.entity(),
                    definition.statusProperty(),
                    definition.statusTypes(),
                    definition.requesters().stream().map(Requester::name).toList(),
                    definition.steps().stream().map(Step::of).toList(),
                    StateDiagram.of(definition));
        }
    }

    /**
     * One step. The keys of the maps are requesters, or {@code any}.
     *
     * @param id the step's number
     * @param key the step's name
     * @param status the status that the step starts from
     * @param claimState the claim states, with the statuses to revert to
     * @param successfulState the statuses after a success
     * @param validation the beans that can reject the step
     * @param action the beans of the actions
     * @param successAfterEffect the beans of the after-effects
     */
    public record Step(
            int id,
            String key,
            String status,
            Map<String, StepDefinition.ClaimPair> claimState,
            Map<String, String> successfulState,
            Map<String, String> validation,
            Map<String, String> action,
            Map<String, String> successAfterEffect) {

        static Step of(StepDefinition step) {
            return new Step(
                    step.id(),
                    step.key(),
                    step.status(),
                    step.claimState().entries(),
                    step.successfulState().entries(),
                    step.validation().entries(),
                    step.action().entries(),
                    step.successAfterEffect().entries());
        }
    }

    /**
     * Lists every workflow.
     *
     * @return the configured workflows
     */
    @ReadOperation
    public Workflows workflows() {
        return new Workflows(workflows.get().stream().map(Workflow::of).toList());
    }

    /**
     * Returns the diagram of one workflow.
     *
     * @param name the workflow's name
     * @return the statuses and steps as a Mermaid diagram, or null if there is no such workflow
     */
    @ReadOperation(produces = {"text/plain;charset=UTF-8", "text/vnd.mermaid;charset=UTF-8"})
    public @Nullable String diagram(@Selector String name) {
        return workflows.get().stream()
                .filter(workflow -> workflow.name().equals(name))
                .findFirst()
                .map(StateDiagram::of)
                .orElse(null);
    }
}
