package io.sagaspring.saga;

import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * A flow that finishes or is undone. A bean:
 *
 * <pre>{@code
 * @Component
 * class CheckoutSaga implements Saga<Checkout> {
 *     @Override
 *     public void define(SagaDefinition<Checkout> saga) {
 *         saga.idempotencyKey(order -> "checkout:" + order.orderId()).timeout(Duration.ofMinutes(30));
 *         saga.step("charge_card", this::chargeCard).compensate(this::refundPayment);
 *         saga.task("reserve_stock", ReserveStockTask.class).dedupe();
 *         saga.task("arrange_fulfillment", FulfillmentTask.class).async().timeout(Duration.ofMinutes(15));
 *         saga.step("send_receipt", context -> mailer.receipt(context.input())).fireAndForget();
 *     }
 * }
 * }</pre>
 *
 * @param <I> what an execution is given
 * @since 0.1.0
 */
public interface Saga<I> {

    /**
     * Says what the flow is. Called once, when the application starts.
     *
     * @param saga takes the steps, in their order
     */
    void define(SagaDefinition<I> saga);

    /**
     * The name under which executions are stored. Stored executions know the flow by nothing else.
     *
     * @return the simple name of the class, with a small letter at the beginning
     */
    default String name() {
        return StringUtils.uncapitalize(ClassUtils.getUserClass(this).getSimpleName());
    }
}
