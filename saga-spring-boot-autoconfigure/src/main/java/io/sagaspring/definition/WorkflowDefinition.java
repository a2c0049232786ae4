package io.sagaspring.definition;

import java.util.List;
import java.util.Optional;

/**
 * The states of one entity, and the steps between them.
 *
 * @param name the name by which callers refer to it
 * @param module the module that owns the entity and whose janitor covers every claim state
 * @param entity the class name of the JPA entity
 * @param statusProperty the entity's property that holds the state
 * @param statusTypes every state there is; none where the entity's enum tells them
 * @param requesters everybody who may run a step
 * @param steps at least one
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
     * The same workflow with the states that its entity has.
     *
     * @param states every state there is
     * @return a workflow that lists its states
     */
    public WorkflowDefinition withStatusTypes(List<String> states) {
        return new WorkflowDefinition(name, module, entity, statusProperty, states, requesters, steps);
    }

    /**
     * The steps that bear this key, each from another state.
     *
     * @param key what the caller asked for
     * @return the steps, none where the key is unknown
     */
    public List<StepDefinition> stepsOf(String key) {
        return steps.stream().filter(step -> step.key().equals(key)).toList();
    }

    /**
     * The requester of this workflow that bears the name.
     *
     * @param requester who asks
     * @return the requester, or nothing where the workflow does not know it
     */
    public Optional<Requester> known(Requester requester) {
        return requesters.contains(requester) ? Optional.of(requester) : Optional.empty();
    }
}
