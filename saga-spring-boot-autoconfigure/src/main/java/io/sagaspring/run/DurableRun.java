package io.sagaspring.run;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * A method that finishes although its process dies. A bean:
 *
 * <pre>{@code
 * @Component
 * class OpenAccount implements DurableRun<Customer, AccountId> {
 *     @Override
 *     public AccountId run(RunContext run, Customer customer) {
 *         AccountId account = run.transactionalStep("open", AccountId.class, () -> accounts.open(customer));
 *         run.step("card", () -> cards.order(account, run.idempotencyKey()));
 *         run.sleep("cooling-off", Duration.ofDays(14));
 *         run.step("welcome", () -> mailer.welcome(customer, run.idempotencyKey()));
 *         return account;
 *     }
 * }
 * }</pre>
 *
 * <p>After a crash the method is called again, from its beginning, and each step that was journaled returns what it
 * returned before. So what stands between the steps must do the same each time: what has an effect, asks for the time or
 * draws a number belongs into a step, or is asked of the context.
 *
 * @param <I> what a run is given
 * @param <O> what it returns; {@link Void} for nothing
 * @since 0.1.0
 */
public interface DurableRun<I extends @Nullable Object, O extends @Nullable Object> {

    /**
     * Runs, from the beginning at each time.
     *
     * @param run journals the steps
     * @param input what the run was started with, as it was stored
     * @return what it returns
     * @throws Exception to fail
     */
    O run(RunContext run, I input) throws Exception;

    /**
     * The name under which runs are stored. Stored runs know the code by nothing else: whoever renames the class and wants
     * them to go on, returns the old one.
     *
     * @return the simple name of the class, with a small letter at the beginning
     */
    default String name() {
        return StringUtils.uncapitalize(ClassUtils.getUserClass(this).getSimpleName());
    }
}
