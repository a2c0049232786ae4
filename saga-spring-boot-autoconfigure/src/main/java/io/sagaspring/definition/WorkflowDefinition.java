package io.sagaspring.definition;

import java.util.List;
import java.util.Optional;

/**
 * The states of one entity, and the steps between them.
 *
 * @param name the name by which callers refer to the workflow
 * @param module the module that owns the entity; the module's janitor reverts the claims of this workflow
 * @param entity the class name of the entity
 * @param statusProperty the entity's property that holds the state
 * @param statusTypes all states; if the configuration lists none, empty until they are read from the entity's mapping
 * @param requesters all requesters that may run a step
 * @param steps the steps, at least one
 * @since 0.1.0
 */
public record WorkflowDefinition(
        String name,
        String module,
        String entity,
        String statusProperty,
        List<String> statusTypes,
        List<Requester> requesters,
        List<StepDefinition> steps) {

    /**
     * Returns the same workflow with the states of its entity.
     *
     * @param states all states
     * @return the workflow with these states
     */
    public WorkflowDefinition withStatusTypes(List<String> states) {
        return new WorkflowDefinition(name, module, entity, statusProperty, states, requesters, steps);
    }

    /**
     * Returns the steps with this key. Each of them starts from a different state, or is for different requesters.
     *
     * @param key the key that the caller named
     * @return the steps, or none if the key is unknown
     */
    public List<StepDefinition> stepsOf(String key) {
        return steps.stream().filter(step -> step.key().equals(key)).toList();
    }

    /**
     * Returns the requester if this workflow has it.
     *
     * @param requester the requester
     * @return the requester, or empty if the workflow does not have it
     */
    public Optional<Requester> known(Requester requester) {
        return requesters.contains(requester) ? Optional.of(requester) : Optional.empty();
    }
}
