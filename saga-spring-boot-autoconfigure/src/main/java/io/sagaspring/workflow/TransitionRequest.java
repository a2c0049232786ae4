package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.LogText;
import java.lang.reflect.Type;
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
 * @param effectKey the key that makes the call repeatable, if there is one
 * @since 0.1.0
 */
public record TransitionRequest(
        String workflow,
        Object id,
        String step,
        Requester requester,
        @Nullable Object input,
        OptionalLong version,
        @Nullable EffectKey effectKey) {

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
        return new TransitionRequest(workflow, id, step, requester, null, OptionalLong.empty(), null);
    }

    /**
     * The same with something for the action.
     *
     * @param given what the action reads as its input
     * @return another request
     */
    public TransitionRequest with(Object given) {
        return new TransitionRequest(workflow, id, step, requester, given, version, effectKey);
    }

    /**
     * The same, but only if the entity has this version: what the caller has seen is what is acted on.
     *
     * @param expected the version
     * @return another request
     */
    public TransitionRequest ofVersion(long expected) {
        return new TransitionRequest(workflow, id, step, requester, input, OptionalLong.of(expected), effectKey);
    }

    /**
     * Returns the same request with a key that makes the call repeatable: once the step has taken effect under the key, each
     * further call with it answers {@link TransitionOutcome.Completed}, without a result, and runs nothing. Use it where the
     * caller may be repeated after a crash, such as in a saga's step.
     *
     * @param key the key, different for each effect, such as a saga's {@code context.effectKey()}
     * @return another request
     * @throws IllegalArgumentException if the key is blank or too long, or has control characters
     */
    public TransitionRequest effectKey(String key) {
        return repeatable(new EffectKey(key, null));
    }

    /**
     * Returns the same request with a key that makes the call repeatable. The result of the action is stored with the key, and
     * each call with the key gets it.
     *
     * @param key the key, different for each effect, such as a saga's {@code context.effectKey()}
     * @param result the type of the action's result
     * @return another request
     * @throws IllegalArgumentException if the key is blank or too long, or has control characters
     */
    public TransitionRequest effectKey(String key, Type result) {
        return repeatable(new EffectKey(key, result));
    }

    private TransitionRequest repeatable(EffectKey key) {
        return new TransitionRequest(workflow, id, step, requester, input, version, key);
    }

    @Override
    public String toString() {
        return "step '%s' of workflow '%s' on %s for %s"
                .formatted(LogText.of(step), LogText.of(workflow), LogText.of(id), requester);
    }
}
