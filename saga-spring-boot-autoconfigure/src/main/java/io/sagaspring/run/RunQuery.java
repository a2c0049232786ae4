package io.sagaspring.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A selection of runs to list or to count. Queries do not change: each method returns a new one.
 *
 * <pre>{@code
 * runs.list(runs.queryOf(PayOut.class).in(RunState.WAITING).withLabel("tenant", "t1").latest(20));
 * }</pre>
 *
 * @param run the name of the code, or null for all
 * @param key the key of the run, or null for all; only together with the name of the code
 * @param tenant the tenant of the runs, {@link #WITHOUT_TENANT} for those that belong to none, or null for all
 * @param states the states to list; all states if empty
 * @param olderThan the minimum time that the runs have been in their state, or null for no minimum
 * @param before a run; only runs that were started before it are listed; null for no limit
 * @param limit the maximum number of runs to list
 * @param labels the name and the exact value of each label that the runs must have; empty for any labels
 * @param node the node that executes the runs, or null for all
 * @param startedFrom the earliest time at which the runs were started, or null for no limit
 * @param startedBefore the time before which the runs were started, or null for no limit
 * @since 0.1.0
 */
public record RunQuery(
        @Nullable String run,
        @Nullable String key,
        @Nullable String tenant,
        Set<RunState> states,
        @Nullable Duration olderThan,
        @Nullable RunId before,
        int limit,
        Map<String, String> labels,
        @Nullable String node,
        @Nullable Instant startedFrom,
        @Nullable Instant startedBefore) {

    /** Selects the runs that belong to no tenant. */
    public static final String WITHOUT_TENANT = "";

    private static final int PAGE = 50;

    /**
     * Checks that a key is given only together with the name of the code.
     *
     * @param run the name of the code, or null for all
     * @param key the key of the run, or null for all; only together with the name of the code
     * @param tenant the tenant of the runs, {@link #WITHOUT_TENANT} for those that belong to none, or null for all
     * @param states the states to list; all states if empty
     * @param olderThan the minimum time that the runs have been in their state, or null for no minimum
     * @param before a run; only runs that were started before it are listed; null for no limit
     * @param limit the maximum number of runs to list
     * @param labels the name and the exact value of each label that the runs must have; empty for any labels
     * @param node the node that executes the runs, or null for all
     * @param startedFrom the earliest time at which the runs were started, or null for no limit
     * @param startedBefore the time before which the runs were started, or null for no limit
     */
    public RunQuery {
        if (key != null && run == null) {
            throw new IllegalArgumentException(
                    "The key '%s' was given without the name of a run. A key is unique only among the runs of one name. Give the name, too."
                            .formatted(key));
        }
    }

    /**
     * Selects runs by name, key, tenant, state and age.
     *
     * @param run the name of the code, or null for all
     * @param key the key of the run, or null for all; only together with the name of the code
     * @param tenant the tenant of the runs, {@link #WITHOUT_TENANT} for those that belong to none, or null for all
     * @param states the states to list; all states if empty
     * @param olderThan the minimum time that the runs have been in their state, or null for no minimum
     * @param before a run; only runs that were started before it are listed; null for no limit
     * @param limit the maximum number of runs to list
     */
    public RunQuery(
            @Nullable String run,
            @Nullable String key,
            @Nullable String tenant,
            Set<RunState> states,
            @Nullable Duration olderThan,
            @Nullable RunId before,
            int limit) {
        this(run, key, tenant, states, olderThan, before, limit, Map.of(), null, null, null);
    }

    /**
     * Selects runs by name and state.
     *
     * @param run the name of the code, or null for all
     * @param states the states to list; all states if empty
     * @param before a run; only runs that were started before it are listed; null for no limit
     * @param limit the maximum number of runs to list
     */
    public RunQuery(@Nullable String run, Set<RunState> states, @Nullable RunId before, int limit) {
        this(run, null, null, states, null, before, limit);
    }

    /**
     * Selects all runs.
     *
     * @return a query that lists the latest 50 runs
     */
    public static RunQuery all() {
        return new RunQuery(null, Set.of(), null, PAGE);
    }

    /**
     * Selects the runs of one kind.
     *
     * @param run the name of their code
     * @return the narrowed query
     */
    public RunQuery of(String run) {
        return with(run, key);
    }

    /**
     * Selects the runs with a key. Call {@link #of} before, because a key belongs to one kind of run.
     *
     * @param key the key
     * @return the narrowed query
     * @throws IllegalArgumentException if the query is not limited to one kind of run
     */
    public RunQuery withKey(String key) {
        return with(run, key);
    }

    private RunQuery with(@Nullable String newRun, @Nullable String newKey) {
        return new RunQuery(
                newRun, newKey, tenant, states, olderThan, before, limit, labels, node, startedFrom, startedBefore);
    }

    /**
     * Returns a copy of this query that is limited to the runs of one tenant.
     *
     * @param tenant the tenant of the runs, {@link #WITHOUT_TENANT} for those that belong to none, or null for all
     * @return the query
     */
    public RunQuery ofTenant(@Nullable String tenant) {
        return new RunQuery(
                run, key, tenant, states, olderThan, before, limit, labels, node, startedFrom, startedBefore);
    }

    /**
     * Selects runs by their state.
     *
     * @param states the states, or none for all
     * @return the narrowed query
     */
    public RunQuery in(RunState... states) {
        return new RunQuery(
                run, key, tenant, Set.of(states), olderThan, before, limit, labels, node, startedFrom, startedBefore);
    }

    /**
     * Selects runs that have been in their state for some time.
     *
     * @param olderThan the minimum time
     * @return the narrowed query
     */
    public RunQuery olderThan(Duration olderThan) {
        return new RunQuery(
                run, key, tenant, states, olderThan, before, limit, labels, node, startedFrom, startedBefore);
    }

    /**
     * Selects the runs with a label. If you add several labels, the runs have all of them. Add first the label that the
     * fewest runs have: the store reads the runs with that label, latest first, and checks all other conditions for
     * each of them.
     *
     * @param name the name of the label
     * @param value the exact value of the label
     * @return the narrowed query
     * @throws InvalidNameException if no run can have such a label
     */
    public RunQuery withLabel(String name, String value) {
        Map<String, String> more = Labels.with(labels, name, value);
        return new RunQuery(run, key, tenant, states, olderThan, before, limit, more, node, startedFrom, startedBefore);
    }

    /**
     * Selects the runs that a node is executing.
     *
     * @param node the name of the node
     * @return the narrowed query
     */
    public RunQuery on(String node) {
        return new RunQuery(
                run, key, tenant, states, olderThan, before, limit, labels, node, startedFrom, startedBefore);
    }

    /**
     * Selects the runs that were started in a period. Ids begin with the time of the start, so the period is found through
     * the ids. If the clock of the starting node is wrong by more than an hour, a run may be missing.
     *
     * @param from the earliest time, or null for no limit
     * @param until the time at which the period ends, or null for no limit; a run that was started at that time does not belong to it
     * @return the narrowed query
     */
    public RunQuery startedBetween(@Nullable Instant from, @Nullable Instant until) {
        return new RunQuery(run, key, tenant, states, olderThan, before, limit, labels, node, from, until);
    }

    /**
     * Selects the next page: the runs that were started before the last run of the previous page.
     *
     * @param last the last run of the previous page
     * @return the narrowed query
     */
    public RunQuery before(RunId last) {
        return new RunQuery(run, key, tenant, states, olderThan, last, limit, labels, node, startedFrom, startedBefore);
    }

    /**
     * Limits the number of runs in a list. A count ignores this limit.
     *
     * @param limit the maximum number of runs
     * @return the query
     */
    public RunQuery latest(int limit) {
        return new RunQuery(
                run, key, tenant, states, olderThan, before, limit, labels, node, startedFrom, startedBefore);
    }
}
