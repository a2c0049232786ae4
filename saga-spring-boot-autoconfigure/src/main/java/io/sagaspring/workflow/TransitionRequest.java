package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A step to be run.
 *
 * @param workflow the workflow's name
 * @param id the entity's id, or its text
 * @param step the step's key
 * @param requester on whose behalf
 * @param input what the action gets along, if anything
 * @param version the version that the entity must have, where the caller knows one
 */
public record TransitionRequest(
        String workflow,
        Object id,
        String step,
        Requester requester,
        @Nullable Object input,
        OptionalLong version) {

    /**
     * A step to be run, whatever the entity's version.
     *
     * @param workflow the workflow's name
     * @param id the entity's id, or its text
     * @param step the step's key
     * @param requester on whose behalf
     * @return the request
     */
    public static TransitionRequest of(String workflow, Object id, String step, Requester requester) {
        return new TransitionRequest(workflow, id, step, requester, null, OptionalLong.empty());
    }

    /**
     * The same with something for the action.
     *
     * @param given what the action reads as its input
     * @return another request
     */
    public TransitionRequest with(Object given) {
        return new TransitionRequest(workflow, id, step, requester, given, version);
    }

    /**
     * The same, but only if the entity has this version: what the caller has seen is what is acted on.
     *
     * @param expected the version
     * @return another request
     */
    public TransitionRequest ofVersion(long expected) {
        return new TransitionRequest(workflow, id, step, requester, input, OptionalLong.of(expected));
    }

    @Override
    public String toString() {
        return "step '%s' of workflow '%s' on %s for %s".formatted(step, workflow, id, requester);
    }
}
