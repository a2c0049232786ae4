package io.sagaspring.run;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A selection of runs to list.
 *
 * @param run the name of the code, or null for all
 * @param key the key of the run, or null for all; only together with the name of the code
 * @param tenant the tenant of the runs, {@link #WITHOUT_TENANT} for those that belong to none, or null for all
 * @param states the states to list; all states if empty
 * @param olderThan the minimum time that the runs have been in their state, or null for no minimum
 * @param before a run; only runs that were started before it are listed; null for no limit
 * @param limit the maximum number of runs to list
 * @since 0.1.0
 */
public record RunQuery(
        @Nullable String run,
        @Nullable String key,
        @Nullable String tenant,
        Set<RunState> states,
        @Nullable Duration olderThan,
        @Nullable RunId before,
        int limit) {

    /** Selects the runs that belong to no tenant. */
    public static final String WITHOUT_TENANT = "";

    /**
     * Checks that a key is given only together with a name.
     *
     * @param run the name of the code, or null for all
     * @param key the key of the run, or null for all; only together with the name of the code
     * @param tenant the tenant of the runs, {@link #WITHOUT_TENANT} for those that belong to none, or null for all
     * @param states the states to list; all states if empty
     * @param olderThan the minimum time that the runs have been in their state, or null for no minimum
     * @param before a run; only runs that were started before it are listed; null for no limit
     * @param limit the maximum number of runs to list
     */
    public RunQuery {
        if (key != null && run == null) {
            throw new IllegalArgumentException(
                    "The key '%s' was given without the name of a run. Keys are unique only within a name. Give both."
                            .formatted(key));
        }
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
     * Returns a copy of this query that is limited to the runs of one tenant.
     *
     * @param tenant the tenant of the runs, {@link #WITHOUT_TENANT} for those that belong to none, or null for all
     * @return the query
     */
    public RunQuery ofTenant(@Nullable String tenant) {
        return new RunQuery(run, key, tenant, states, olderThan, before, limit);
    }
}
