package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.LogText;
import java.lang.reflect.Type;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A request to run a step.
 *
 * @param workflow the workflow's name
 * @param id the entity's id, or the id as a string
 * @param step the step's key
 * @param requester the requester on whose behalf the step runs
 * @param input the input of the action, or null if there is none
 * @param version the version that the entity must have, or empty to accept any version
 * @param effectKey the key that makes the call repeatable, or null if there is none
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
     * Creates a request that accepts any version of the entity.
     *
     * @param workflow the workflow's name
     * @param id the entity's id, or the id as a string
     * @param step the step's key
     * @param requester the requester on whose behalf the step runs
     * @return the request
     */
    public static TransitionRequest of(String workflow, Object id, String step, Requester requester) {
        return new TransitionRequest(workflow, id, step, requester, null, OptionalLong.empty(), null);
    }

    /**
     * Returns a copy of this request with an input for the action.
     *
     * @param given the input, which the action reads with {@link ActionContext#input}
     * @return the copy
     */
    public TransitionRequest with(Object given) {
        return new TransitionRequest(workflow, id, step, requester, given, version, effectKey);
    }

    /**
     * Returns a copy of this request for one version of the entity. The step runs only if the entity still has the
     * version that the caller has seen.
     *
     * @param expected the version that the caller has seen
     * @return the copy
     */
    public TransitionRequest ofVersion(long expected) {
        return new TransitionRequest(workflow, id, step, requester, input, OptionalLong.of(expected), effectKey);
    }

    /**
     * Returns a copy of this request with a key that makes the call repeatable. Once the step has taken effect under
     * the key, each further call with the key returns {@link TransitionOutcome.Completed} without a result, and runs
     * nothing. Use a key if the call may be repeated after a crash, for example in a saga's step.
     *
     * @param key the key, different for each effect, such as a saga's {@code context.effectKey()}
     * @return the copy
     * @throws IllegalArgumentException if the key is blank, too long or has characters that are not allowed
     */
    public TransitionRequest effectKey(String key) {
        return repeatable(new EffectKey(key, null));
    }

    /**
     * Returns a copy of this request with a key that makes the call repeatable. The result of the action is stored with
     * the key, and each call with the key gets it.
     *
     * @param key the key, different for each effect, such as a saga's {@code context.effectKey()}
     * @param result the type of the action's result
     * @return the copy
     * @throws IllegalArgumentException if the key is blank, too long or has characters that are not allowed
     */
    public TransitionRequest effectKey(String key, Type result) {
        return repeatable(new EffectKey(key, result));
    }

    private TransitionRequest repeatable(EffectKey key) {
        return new TransitionRequest(workflow, id, step, requester, input, version, key);
    }

    @Override
    public String toString() {
        return on(id);
    }

    /** Describes the request, for use in a message. */
    String on(Object shownId) {
        return "step '%s' of workflow '%s' on entity %s for %s"
                .formatted(LogText.of(step), LogText.of(workflow), LogText.of(shownId), requester);
    }
}
