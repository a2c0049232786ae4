package io.sagaspring.workflow;

/**
 * The work of a step. Name a bean of this type under {@code action}.
 *
 * <p>The action and the flip of the entity's status share one transaction. The action's writes are committed if and
 * only if the step succeeds.
 *
 * <pre>{@code
 * @Component
 * class CloseBilling implements StepAction<Billing> {
 *     @Override
 *     public ActionResult run(Billing billing, ActionContext context) {
 *         billing.sumUp();
 *         return ActionResult.success();
 *     }
 * }
 * }</pre>
 *
 * @param <E> the class of the entity
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepAction<E> {

    /**
     * Performs the work.
     *
     * @param entity the entity, fresh from the database; with JPA it is managed, so changes to it are written
     * @param context the requester and the input of the call
     * @return the result, which decides between commit and rollback
     * @throws Exception if the work fails; it is rolled back, and the caller gets the exception unchanged. Two kinds of
     *     exception become outcomes instead: an optimistic-locking failure on this entity, and an exception of an
     *     action that was interrupted because its claim was lost
     */
    ActionResult run(E entity, ActionContext context) throws Exception;
}
