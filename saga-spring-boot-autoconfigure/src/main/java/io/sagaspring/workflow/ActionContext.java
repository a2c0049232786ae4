package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.FencingToken;
import java.util.Optional;

/**
 * Describes one call of a step. The step's action and validation get this description.
 *
 * @since 0.1.0
 */
public interface ActionContext {

    /**
     * Returns the name of the workflow.
     *
     * @return the workflow's name
     */
    String workflow();

    /**
     * Returns the key of the step.
     *
     * @return the step's key
     */
    String step();

    /**
     * Returns the requester on whose behalf the step runs.
     *
     * @return the requester
     */
    Requester requester();

    /**
     * Returns the input that the caller has passed in its {@link TransitionRequest#with(Object) request}.
     *
     * @param type the expected type of the input
     * @param <T> the expected type of the input
     * @return the input
     * @throws IllegalArgumentException if the caller has passed no input, or an input of another type
     */
    <T> T input(Class<T> type);

    /**
     * Returns the fencing token of the claim. Pass it on when you write to a system that refuses a token older than the
     * latest one it has seen.
     *
     * @return the token, or empty if the step runs without a claim
     */
    Optional<FencingToken> token();
}
