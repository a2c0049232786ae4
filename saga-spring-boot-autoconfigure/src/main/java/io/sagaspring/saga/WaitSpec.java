package io.sagaspring.saga;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The options of a wait for a signal.
 *
 * @param <I> what the execution is given
 * @since 0.1.0
 */
public final class WaitSpec<I> {

    final String name;

    @Nullable
    Duration timeout;

    @Nullable
    Predicate<StepContext<I>> condition;

    @Nullable
    String storeAs;

    WaitSpec(String name) {
        this.name = name;
    }

    /**
     * How long it waits. The step fails then, with the type {@code timeout}.
     *
     * @param timeout how long
     * @return this
     */
    public WaitSpec<I> timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /**
     * Waits only if this holds, too. It is asked once, when it is the step's turn.
     *
     * @param condition over the context
     * @return this
     */
    public WaitSpec<I> runIf(Predicate<StepContext<I>> condition) {
        this.condition = this.condition == null ? condition : this.condition.and(condition);
        return this;
    }

    /**
     * Waits only if this does not hold.
     *
     * @param condition over the context
     * @return this
     */
    public WaitSpec<I> unless(Predicate<StepContext<I>> condition) {
        return runIf(condition.negate());
    }

    /**
     * Stores what the signal says there, and not under its name.
     *
     * @param key of the context
     * @return this
     */
    public WaitSpec<I> storeResultAs(String key) {
        this.storeAs = key;
        return this;
    }
}
