package io.sagaspring.saga;

import io.sagaspring.run.Labels;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import java.util.Map;
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
 * @param labels the name and the exact value of each label that the executions must have; empty for any labels
 * @since 0.1.0
 */
public record SagaQuery(
        Class<? extends Saga<?>> saga,
        Set<RunState> states,
        @Nullable RunId before,
        int limit,
        Map<String, String> labels) {

    private static final int PAGE = 50;

    /**
     * Returns a query for the first page of all executions of a saga.
     *
     * @param saga the saga's class
     * @return the query; use the other methods to refine it
     */
    public static SagaQuery of(Class<? extends Saga<?>> saga) {
        return new SagaQuery(saga, Set.of(), null, PAGE, Map.of());
    }

    /**
     * Returns a query for executions in certain states.
     *
     * @param states the states
     * @return the changed query
     */
    public SagaQuery in(RunState... states) {
        return new SagaQuery(saga, Set.of(states), before, limit, labels);
    }

    /**
     * Returns a query for the next page.
     *
     * @param last the last execution of the previous page
     * @return the changed query
     */
    public SagaQuery after(RunId last) {
        return new SagaQuery(saga, states, last, limit, labels);
    }

    /**
     * Returns a query with a different page size.
     *
     * @param limit the largest number of executions
     * @return the changed query
     */
    public SagaQuery limit(int limit) {
        return new SagaQuery(saga, states, before, limit, labels);
    }

    /**
     * Returns a query for executions with a label. If you add several labels, the executions have all of them. Add
     * first the label that the fewest executions have: the store reads the executions with that label, latest first,
     * and checks all other conditions for each of them.
     *
     * @param name the name of the label
     * @param value the exact value of the label
     * @return the changed query
     * @throws io.sagaspring.run.InvalidNameException if the name or the value is not allowed for a label, or the
     *     query has too many labels
     */
    public SagaQuery withLabel(String name, String value) {
        return new SagaQuery(saga, states, before, limit, Labels.with(labels, name, value));
    }

    /** Returns this query as a query for runs, because each execution is a run. */
    RunQuery ofRuns(String name) {
        RunQuery query = new RunQuery(name, states, before, limit);
        for (Map.Entry<String, String> label : labels.entrySet()) {
            query = query.withLabel(label.getKey(), label.getValue());
        }
        return query;
    }
}
