package io.sagaspring.run;

import io.sagaspring.fence.NodeLoads;
import java.util.List;
import java.util.Set;

/**
 * Stores runs. Every change of a run is made by the store. Implement this interface to store runs in something other
 * than PostgreSQL. The interface has three parts: {@link RunExecutions} for the node that executes a run, {@link
 * RunInbox} for everyone else who sends something to a run, and {@link RunQueries} for reading. Each call makes one
 * durable change, or none:
 *
 * <ul>
 *   <li>The node that executes a run holds its fencing token. Each token of a run is greater than the tokens before it. A node with an
 *       older token cannot change anything.
 *   <li>A call with a token that is no longer valid throws {@link FencedException} and changes nothing.
 *   <li>A call is safe to repeat if its reply was lost, except a {@link #start} that may replace the input of a run.
 *   <li>A change is durable when the call returns, unless the call joins the caller's transaction. Calls may share a
 *       commit.
 * </ul>
 *
 * <p>{@code RunStoreContract} in {@code saga-spring-boot-test} contains the tests that every store must pass. {@code MemoryRunStore} in the
 * same package is an example. {@link StorageLimits}, {@link Lanes}, {@link JournalEntry} and {@link RunExecutions.Ending} define the rules
 * that all stores share.
 *
 * @since 0.1.0
 */
public interface RunStore extends RunExecutions, RunInbox, RunQueries {

    /** The reliability with which a store rejects the changes of a node that no longer holds a run. */
    enum Guarantee {
        /** A previous owner can never change anything: its token is rejected. */
        EXACT,
        /** A previous owner can change something only in rare cases. */
        BEST_EFFORT,
        /** The store guarantees nothing. */
        NONE
    }

    /**
     * Returns the guarantee of this store.
     *
     * @return the guarantee; the application logs a guarantee below {@link Guarantee#EXACT} at start-up
     */
    Guarantee guarantee();

    /**
     * Counts the runs that each node is executing now.
     *
     * @return the loads of the nodes, or {@link NodeLoads#unknown()} if this store does not count them
     */
    default NodeLoads loads() {
        return NodeLoads.unknown();
    }

    /**
     * Counts the runs of each name and state.
     *
     * @param most the number at which each count stops
     * @param known the names of the code on this node
     * @return the numbers, ordered by name; empty if the store does not count them
     */
    default List<KindCounts> kinds(int most, Set<String> known) {
        return List.of();
    }

    /**
     * Removes runs that ended longer ago than the store's retention.
     *
     * @param limit the maximum number of runs to remove
     * @return the number of removed runs
     */
    int purge(int limit);
}
