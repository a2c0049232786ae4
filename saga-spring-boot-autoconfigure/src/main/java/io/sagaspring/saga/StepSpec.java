package io.sagaspring.saga;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * The options of one step, the same however its body is given. What is said last holds.
 *
 * @param <I> what the execution is given
 * @since 0.1.0
 */
public final class StepSpec<I> {

    final String name;
    final StepCode<I> body;

    ResolvableType result = ResolvableType.forClass(Object.class);

    @Nullable
    StepCompensation<I> undo;

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

    StepSpec(String name, StepCode<I> body) {
        this.name = name;
        this.body = body;
    }

    /**
     * When it is tried again. A step without it, in a saga without defaults, is tried once.
     *
     * @param retry the policy
     * @return this
     */
    public StepSpec<I> retry(Retry retry) {
        this.retry = retry;
        return this;
    }

    /**
     * How it is undone, where a later step fails or the execution is cancelled.
     *
     * @param undo is retried as the step is
     * @return this
     */
    public StepSpec<I> compensate(StepCompensation<I> undo) {
        this.undo = undo;
        return this;
    }

    /**
     * How it is undone, and when that is tried again.
     *
     * @param undo undoes it
     * @param retry the policy of the undo
     * @return this
     */
    public StepSpec<I> compensate(StepCompensation<I> undo, Retry retry) {
        this.undo = undo;
        this.compensationRetry = retry;
        return this;
    }

    /**
     * How long an attempt may take: the body is interrupted then, and what it returns after that is discarded. Of an
     * asynchronous step: until somebody calls back.
     *
     * @param timeout how long
     * @return this
     */
    public StepSpec<I> timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /**
     * The body only begins something. The step is over when somebody says so.
     *
     * @return this
     */
    public StepSpec<I> async() {
        this.async = true;
        return this;
    }

    /**
     * The body runs in a transaction of the database that has the journal: what it writes there is there once, together with
     * its result, however often the process dies.
     *
     * @return this
     */
    public StepSpec<I> dedupe() {
        this.deduped = true;
        return this;
    }

    /**
     * Runs it only if this holds, too. It is asked once, when it is the step's turn.
     *
     * @param condition over the context
     * @return this
     */
    public StepSpec<I> runIf(Predicate<StepContext<I>> condition) {
        this.condition = this.condition == null ? condition : this.condition.and(condition);
        return this;
    }

    /**
     * Runs it only if this does not hold.
     *
     * @param condition over the context
     * @return this
     */
    public StepSpec<I> unless(Predicate<StepContext<I>> condition) {
        return runIf(condition.negate());
    }

    /**
     * Makes what the body needs of the context, for {@link StepContext#args(Class)}.
     *
     * @param args makes it
     * @return this
     */
    public StepSpec<I> args(Function<StepContext<I>, ?> args) {
        this.args = args;
        return this;
    }

    /**
     * Stores what the step returns there, and merges nothing.
     *
     * @param key of the context
     * @return this
     */
    public StepSpec<I> storeResultAs(String key) {
        this.storeAs = key;
        return this;
    }

    /**
     * The saga goes on at once, whether the step succeeds or not. The step is executed by a run of its own, with the input and the
     * context of this moment: durable, and tried as often as its policy says, also if the execution ends or is cancelled before.
     * Its result is stored nowhere.
     *
     * @return this
     */
    public StepSpec<I> fireAndForget() {
        this.fireAndForget = true;
        return this;
    }
}
