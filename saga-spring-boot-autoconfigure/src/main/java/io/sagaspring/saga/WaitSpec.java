package io.sagaspring.saga;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The options of a wait for a signal.
 *
 * @param <I> the type of the execution's input
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
     * Sets how long to wait. After that time, the step fails with an error of the type {@code timeout}.
     *
     * @param timeout the longest wait for the signal
     * @return this
     */
    public WaitSpec<I> timeout(Duration timeout) {
        this.timeout = timeout;
        return this;
    }

    /**
     * Adds a condition: the execution waits only if all conditions are true. They are evaluated once, when it is the
     * step's turn.
     *
     * @param condition the condition on the context
     * @return this
     */
    public WaitSpec<I> runIf(Predicate<StepContext<I>> condition) {
        this.condition = this.condition == null ? condition : this.condition.and(condition);
        return this;
    }

    /**
     * Adds a condition: the execution waits only if this condition is false.
     *
     * @param condition the condition on the context
     * @return this
     */
    public WaitSpec<I> unless(Predicate<StepContext<I>> condition) {
        return runIf(condition.negate());
    }

    /**
     * Stores the value of the signal under a key, instead of under the name of the wait.
     *
     * @param key the key in the context
     * @return this
     */
    public WaitSpec<I> storeResultAs(String key) {
        this.storeAs = key;
        return this;
    }
}
