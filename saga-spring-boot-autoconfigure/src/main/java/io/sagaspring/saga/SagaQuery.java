package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for executions: {@code SagaQuery.of(CheckoutSaga.class).in(RunState.FAILED).after(last)}.
 *
 * @param saga the saga's class
 * @param states the states of the executions to find; empty for all states
 * @param before the last execution of the previous page; the query finds only executions that were started before it;
 *     null for the first page
 * @param limit the largest number of executions
 * @since 0.1.0
 */
public record SagaQuery(
        Class<? extends Saga<?>> saga,
        Set<RunState> states,
        @Nullable RunId before,
        int limit) {

    private static final int PAGE = 50;

    /**
     * Returns a query for the first page of all executions of a saga.
     *
     * @param saga the saga's class
     * @return the query; use the other methods to refine it
     */
    public static SagaQuery of(Class<? extends Saga<?>> saga) {
        return new SagaQuery(saga, Set.of(), null, PAGE);
    }

    /**
     * Returns a query for executions in certain states.
     *
     * @param states the states
     * @return the changed query
     */
    public SagaQuery in(RunState... states) {
        return new SagaQuery(saga, Set.of(states), before, limit);
    }

    /**
     * Returns a query for the next page.
     *
     * @param last the last execution of the previous page
     * @return the changed query
     */
    public SagaQuery after(RunId last) {
        return new SagaQuery(saga, states, last, limit);
    }

    /**
     * Returns a query with a different page size.
     *
     * @param limit the largest number of executions
     * @return the changed query
     */
    public SagaQuery limit(int limit) {
        return new SagaQuery(saga, states, before, limit);
    }
}
