package io.sagaspring.saga;

import io.sagaspring.run.Retry;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.retry.RetryPolicy;

/**
 * The options of one step. If an option is set twice, the last value applies. Conditions are different: all of them
 * must be true.
 *
 * @param <I> the type of the execution's input
 * @since 0.1.0
 */
public final class StepSpec<I> {

    final String name;
    final StepCode<I> code;

    ResolvableType result = ResolvableType.forClass(Object.class);

    @Nullable
    StepCompensation<I> compensation;

    @Nullable
    Retry compensationRetry;

    @Nullable
    Retry retry;

    @Nullable
    Duration timeout;

    @Nullable
    Predicate<StepContext<I>> condition;

    @Nullable
    Function<StepContext<I>, ?> args;

    @Nullable
    String storeAs;

    boolean async;
    boolean deduped;
    boolean fireAndForget;

    StepSpec(String name, StepCode<I> code) {
        this.name = name;
        this.code = code;
    }

    /**
     * Sets the retry policy. A step without its own policy uses that of the saga, or else that of
     * {@code saga.runs.defaults}, or else is attempted once.
     *
     * @param retry the policy
     * @return this
     */
    public StepSpec<I> retry(Retry retry) {
        this.retry = retry;
        return this;
    }

    /**
     * Sets a retry policy of Spring.
     *
     * @param retry the policy, which is converted with {@link Retry#of}
     * @return this
     */
    public StepSpec<I> retry(RetryPolicy retry) {
        return retry(Retry.of(retry));
    }

    /**
     * Sets the compensation. If the execution fails or is cancelled, the compensation is called, provided that the step
     * took effect or may have.
     *
     * @param compensation the compensation's code; it is retried according to the step's policy
     * @return this
     */
    public StepSpec<I> compensate(StepCompensation<I> compensation) {
        this.compensation = compensation;
        return this;
    }

    /**
     * Sets the compensation and its retry policy.
     *
     * @param compensation the compensation's code
     * @param retry the retry policy of the compensation
     * @return this
     */
    public StepSpec<I> compensate(StepCompensation<I> compensation, Retry retry) {
        this.compensation = compensation;
        this.compensationRetry = retry;
        return this;
    }

    /**
     * Sets how long an attempt may take. After that time, the code is interrupted, and a result that it returns later
     * is discarded. For an asynchronous step, this is the longest wait for the callback. Its code is not interrupted.
     *
     * @param timeout the longest time of an attempt, or of the wait for the callback
     * @return this
     */
    public StepSpec<I> timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /**
     * Makes the step asynchronous. Its code only starts the work, and a callback completes the step.
     *
     * @return this
     */
    public StepSpec<I> async() {
        this.async = true;
        return this;
    }

    /**
     * Executes the step's code in a transaction of the database that contains the journal. The code's writes to that
     * database are committed exactly once, together with its result, however often the process dies.
     *
     * @return this
     */
    public StepSpec<I> dedupe() {
        this.deduped = true;
        return this;
    }

    /**
     * Adds a condition: the step is executed only if all conditions are true. They are evaluated once, when it is the
     * step's turn.
     *
     * @param condition the condition on the context
     * @return this
     */
    public StepSpec<I> runIf(Predicate<StepContext<I>> condition) {
        this.condition = this.condition == null ? condition : this.condition.and(condition);
        return this;
    }

    /**
     * Adds a condition: the step is executed only if this condition is false.
     *
     * @param condition the condition on the context
     * @return this
     */
    public StepSpec<I> unless(Predicate<StepContext<I>> condition) {
        return runIf(condition.negate());
    }

    /**
     * Sets the function that computes the arguments of the step's code, for {@link StepContext#args(Class)}.
     *
     * @param args the function that computes the arguments from the context
     * @return this
     */
    public StepSpec<I> args(Function<StepContext<I>, ?> args) {
        this.args = args;
        return this;
    }

    /**
     * Stores the step's result as a whole under a key, instead of merging it into the context. For an asynchronous
     * step, the value that the callback passes is stored under the key.
     *
     * @param key the key in the context
     * @return this
     */
    public StepSpec<I> storeResultAs(String key) {
        this.storeAs = key;
        return this;
    }

    /**
     * Executes the step in the background, as a separate run. The saga continues immediately, whether the step succeeds
     * or not. The run receives the current input and context. The run is durable, and is retried according to the
     * step's policy, even if the execution has ended or was cancelled. The step's result is not stored.
     *
     * @return this
     */
    public StepSpec<I> fireAndForget() {
        this.fireAndForget = true;
        return this;
    }
}
