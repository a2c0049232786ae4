package io.sagaspring.run;

/**
 * Keeps runs, and is the only place at which they change. Write one to keep runs elsewhere than on PostgreSQL. It has three
 * parts: {@link RunExecutions} for the node that executes a run, {@link RunInbox} for everyone else who tells a run something,
 * and {@link RunQueries} for whoever looks. Each call is one durable change, or none at all:
 *
 * <ul>
 *   <li>The node that executes a run has its token, and no other token changes what that node writes. A token is greater than
 *       those before it.
 *   <li>A call by token that comes too late throws {@link FencedException} and changes nothing.
 *   <li>A call whose answer was lost can be made again, and does no harm then.
 *   <li>A change is durable when the call returns. Calls may share a commit.
 * </ul>
 *
 * <p>{@code RunStoreContract} in {@code saga-spring-boot-test} holds the tests that every store has to pass, and {@code
 * MemoryRunStore} beside it is an example. {@link StorageLimits}, {@link Lanes}, {@link JournalEntry} and {@link RunExecutions.Ending} have
 * the rules that stores share.
 *
 * @since 0.1.0
 */
public interface RunStore extends RunExecutions, RunInbox, RunQueries {

    /** Says how far a store keeps two nodes from executing one run. */
    enum Guarantee {
        /** A token that was overtaken changes nothing, ever. */
        EXACT,
        /** Nearly always. */
        BEST_EFFORT,
        /** Nothing. */
        NONE
    }

    /**
     * Returns what this store promises.
     *
     * @return less than {@link Guarantee#EXACT} is reported when the application starts
     */
    Guarantee guarantee();

    /**
     * Removes runs that ended longer ago than the store keeps them.
     *
     * @param limit the number of runs to remove at most
     * @return the number of runs that were removed
     */
    int purge(int limit);
}
