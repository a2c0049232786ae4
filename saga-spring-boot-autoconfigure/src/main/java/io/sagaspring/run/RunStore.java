package io.sagaspring.run;

/**
 * The place where runs are stored, and the only one at which they change. Implement it to store runs elsewhere than on PostgreSQL. It
 * has three parts: {@link RunExecutions} for the node that executes a run, {@link RunInbox} for everyone else who sends a run
 * something, and {@link RunQueries} for reading. Each call is one durable change, or none:
 *
 * <ul>
 *   <li>The node that executes a run holds its fencing token. Each token of a run is greater than the tokens before it, and a node
 *       with an older token changes nothing.
 *   <li>A call with a token that is no longer valid throws {@link FencedException} and changes nothing.
 *   <li>A call whose answer was lost can be repeated without harm.
 *   <li>A change is durable when the call returns. Calls may share a commit.
 * </ul>
 *
 * <p>{@code RunStoreContract} in {@code saga-spring-boot-test} holds the tests that every store has to pass, and {@code
 * MemoryRunStore} beside it is an example. {@link StorageLimits}, {@link Lanes}, {@link JournalEntry} and {@link RunExecutions.Ending}
 * have the rules that all stores share.
 *
 * @since 0.1.0
 */
public interface RunStore extends RunExecutions, RunInbox, RunQueries {

    /** The degree to which a store prevents that two nodes execute one run. */
    enum Guarantee {
        /** A previous owner never changes anything: its token is refused. */
        EXACT,
        /** A previous owner changes something only in rare cases. */
        BEST_EFFORT,
        /** The store guarantees nothing. */
        NONE
    }

    /**
     * Returns the guarantee of this store.
     *
     * @return the guarantee; one below {@link Guarantee#EXACT} is reported when the application starts
     */
    Guarantee guarantee();

    /**
     * Removes runs that have ended and whose retention in the store is over.
     *
     * @param limit the number of runs to remove at most
     * @return the number of runs that were removed
     */
    int purge(int limit);
}
