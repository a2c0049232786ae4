package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which executions to list: {@code SagaQuery.of(CheckoutSaga.class).in(RunState.FAILED).after(last)}.
 *
 * @param saga of which saga
 * @param states where they stand, all if empty
 * @param before only what was started before this one, or null: the last of the page before
 * @param limit how many at most
 * @since 0.1.0
 */
public record SagaQuery(
        Class<? extends Saga<?>> saga,
        Set<RunState> states,
        @Nullable RunId before,
        int limit) {

    private static final int PAGE = 50;

    /**
     * All executions of a saga, a page of them.
     *
     * @param saga of which saga
     * @return to be narrowed
     */
    public static SagaQuery of(Class<? extends Saga<?>> saga) {
        return new SagaQuery(saga, Set.of(), null, PAGE);
    }

    /**
     * Only those that stand there.
     *
     * @param states where
     * @return a query like this
     */
    public SagaQuery in(RunState... states) {
        return new SagaQuery(saga, Set.of(states), before, limit);
    }

    /**
     * The next page.
     *
     * @param last the last of the page before
     * @return a query like this
     */
    public SagaQuery after(RunId last) {
        return new SagaQuery(saga, states, last, limit);
    }

    /**
     * A page of another size.
     *
     * @param limit how many at most
     * @return a query like this
     */
    public SagaQuery limit(int limit) {
        return new SagaQuery(saga, states, before, limit);
    }
}
