package io.sagaspring.workflow;

import java.util.List;

/**
 * May object before a step's action begins. A bean of this type is named under {@code validation}.
 *
 * @param <E> the entity
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepValidation<E> {

    /**
     * Looks at the entity.
     *
     * @param entity fresh from the database
     * @param context who runs the step, and with what
     * @return what stands in the way, as sentences for people; nothing if the action may begin
     * @throws Exception anything; it reaches the caller as it is
     */
    List<String> validate(E entity, ActionContext context) throws Exception;
}
