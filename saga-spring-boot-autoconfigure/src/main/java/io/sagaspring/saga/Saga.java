package io.sagaspring.saga;

import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * A sequence of steps that completes or is compensated. Declare a saga as a bean:
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
 * @param <I> the type of an execution's input
 * @since 0.1.0
 */
public interface Saga<I> {

    /**
     * Declares the steps and the options of this saga. The library calls this method once, when the application starts.
     *
     * @param saga the definition; add the steps in the order in which they run
     */
    void define(SagaDefinition<I> saga);

    /**
     * Returns the name under which executions are stored. The name is the only link between a stored execution and its
     * saga.
     *
     * @return the simple name of the class, with a lower-case first letter
     */
    default String name() {
        return StringUtils.uncapitalize(ClassUtils.getUserClass(this).getSimpleName());
    }
}
