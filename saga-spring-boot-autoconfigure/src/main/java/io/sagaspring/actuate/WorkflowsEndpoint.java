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

/** Shows the workflows as they were configured, each with its diagram. */
@Endpoint(id = "sagaworkflows", defaultAccess = Access.READ_ONLY)
final class WorkflowsEndpoint {

    private final Supplier<Collection<WorkflowDefinition>> workflows;

    /**
     * An endpoint over these workflows.
     *
     * @param workflows what was configured
     */
    public WorkflowsEndpoint(Supplier<Collection<WorkflowDefinition>> workflows) {
        this.workflows = workflows;
    }

    /**
     * What was configured.
     *
     * @param workflows in the order in which they were configured
     */
    public record Workflows(List<Workflow> workflows) {}

    /**
     * One workflow.
     *
     * @param name its name
     * @param module the module that owns it
     * @param entity its entity
     * @param statusProperty the entity's property that holds the state
     * @param statusTypes every state
     * @param requesters everybody who may run a step
     * @param steps its steps
     * @param diagram its states and steps in the language of Mermaid
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
     * One step. Its maps are by requester, or {@code any}.
     *
     * @param id its number
     * @param key its name
     * @param status the state it starts from
     * @param claimState the claim states
     * @param successfulState where it leads
     * @param validation the beans that may object
     * @param action the beans that do the work
     * @param successAfterEffect the beans that follow a success
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
     * Every workflow.
     *
     * @return as it was configured
     */
    @ReadOperation
    public Workflows workflows() {
        return new Workflows(workflows.get().stream().map(Workflow::of).toList());
    }

    /**
     * The diagram of one workflow.
     *
     * @param name the workflow's name
     * @return its states and steps in the language of Mermaid, or null if there is no such workflow
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
