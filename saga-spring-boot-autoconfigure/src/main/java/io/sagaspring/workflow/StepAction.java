package io.sagaspring.workflow;

/**
 * The work of a step. It runs in one transaction with the flip of the entity's status: what it writes is committed if and
 * only if the step succeeds. A bean of this type is named under {@code action}.
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
 * @param <E> the entity
 * @since 0.1.0
 */
@FunctionalInterface
public interface StepAction<E> {

    /**
     * Does the work.
     *
     * @param entity fresh from the database and managed: changes to it are written
     * @param context who runs the step, and with what
     * @return whether it succeeded
     * @throws Exception anything; it rolls the work back and reaches the caller as it is, unless it tells that somebody else
     *     has changed the entity, or follows the loss of the claim
     */
    ActionResult run(E entity, ActionContext context) throws Exception;
}
