package io.sagaspring.workflow;

import java.util.List;

/**
 * A check that runs before a step's action and can reject the step. Name a bean of this type under {@code validation}.
 *
 * @param <E> the class of the entity
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepValidation<E> {

    /**
     * Checks the entity.
     *
     * @param entity the entity, fresh from the database
     * @param context the requester and the input of the call
     * @return the objections, as human-readable sentences; empty if the action may begin
     * @throws Exception if the check fails; the caller gets the exception or an outcome, under the same rules as in
     *     {@link StepAction#run}
     */
    List<String> validate(E entity, ActionContext context) throws Exception;
}
