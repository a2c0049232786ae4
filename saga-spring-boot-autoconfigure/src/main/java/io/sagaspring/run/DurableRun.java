package io.sagaspring.run;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * A method that completes even if its process dies. Implement it as a bean:
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
 * <p>After a crash, the method is called again from its beginning. Each journaled step then returns its journaled result. So the code
 * between the steps must do the same on each execution. Put everything with an effect into a step. To get the time or a random number, use
 * a step, {@link RunContext#now()} or {@link RunContext#random()}.
 *
 * @param <I> the type of the input
 * @param <O> the type of the result; {@link Void} for none
 * @since 0.1.0
 */
public interface DurableRun<I extends @Nullable Object, O extends @Nullable Object> {

    /**
     * Executes the run, each time from its beginning.
     *
     * @param run the context, which journals the steps
     * @param input the run's input, as it was stored
     * @return the result of the run
     * @throws Exception if the run fails
     */
    O run(RunContext run, I input) throws Exception;

    /**
     * Returns the retry policy and the time-out for those steps of this run that set none of their own. These defaults
     * have precedence over {@code saga.runs.defaults}.
     *
     * @return the defaults; none by default
     */
    default StepDefaults defaults() {
        return StepDefaults.none();
    }

    /**
     * Returns the name under which runs of this class are stored. The name is the only link between a stored run and its code. If you
     * rename the class, override this method and return the old name, so that stored runs continue.
     *
     * @return the name; by default, the simple name of the class with a lower-case first letter
     */
    default String name() {
        return StringUtils.uncapitalize(ClassUtils.getUserClass(this).getSimpleName());
    }
}
