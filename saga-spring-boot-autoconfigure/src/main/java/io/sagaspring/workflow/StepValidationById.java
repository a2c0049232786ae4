package io.sagaspring.workflow;

import java.util.List;

/**
 * A validation that needs only the entity's id. Name a bean of this type under {@code validation}, like a {@link
 * StepValidation}.
 *
 * @param <I> the class of the entity's ids
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepValidationById<I> {

    /**
     * Checks the entity.
     *
     * @param id the entity's id
     * @param context the requester and the input of the call
     * @return the objections, as human-readable sentences; empty if the action may begin
     * @throws Exception if the check fails; the caller gets the exception or an outcome, under the same rules as in
     *     {@link StepAction#run}
     */
    List<String> validate(I id, ActionContext context) throws Exception;
}
