package io.sagaspring.workflow;

/**
 * An action that needs only the entity's id. Name a bean of this type under {@code action}, like a {@link StepAction}.
 *
 * <p>If neither the action nor the validation needs the entity, it is not loaded. When the action ends, the library
 * flips the status with a statement of its own, in the same transaction. The flip fails if another transaction has
 * changed the entity in the meantime.
 *
 * <pre>{@code
 * @Component
 * class CloseBilling implements StepActionById<Long> {
 *     @Override
 *     public ActionResult run(Long billing, ActionContext context) {
 *         sums.update(billing);
 *         return ActionResult.success();
 *     }
 * }
 * }</pre>
 *
 * @param <I> the class of the entity's ids
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepActionById<I> {

    /**
     * Performs the work.
     *
     * @param id the entity's id
     * @param context the requester and the input of the call
     * @return the result, which decides between commit and rollback
     * @throws Exception if the work fails; the caller gets the exception or an outcome, under the same rules as in
     *     {@link StepAction#run}
     */
    ActionResult run(I id, ActionContext context) throws Exception;
}
