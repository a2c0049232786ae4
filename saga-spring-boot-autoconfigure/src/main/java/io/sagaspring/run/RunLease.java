package io.sagaspring.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lease of a run that this node executes.
 *
 * @param id the run's id
 * @param token the fencing token
 * @param journaled the number of entries that this node expects in the journal: if there are fewer, the store rejects
 *     the node's writes; 0 if it expects none
 * @param permit the permit of a queue that the run holds, or null
 * @since 0.1.0
 */
public record RunLease(
        RunId id,
        FencingToken token,
        int journaled,
        @Nullable Permit permit) {

    /**
     * Creates the lease of a run, without expecting any entries in its journal.
     *
     * @param id the run's id
     * @param token the fencing token
     */
    public RunLease(RunId id, FencingToken token) {
        this(id, token, 0, null);
    }

    /**
     * Creates the lease of a run that holds no permit.
     *
     * @param id the run's id
     * @param token the fencing token
     * @param journaled the number of entries that this node expects in the journal
     */
    public RunLease(RunId id, FencingToken token, int journaled) {
        this(id, token, journaled, null);
    }

    /**
     * Creates the lease of a run that holds a permit, without expecting any entries in its journal.
     *
     * @param id the run's id
     * @param token the fencing token
     * @param permit the permit of a queue that the run holds, or null
     */
    public RunLease(RunId id, FencingToken token, @Nullable Permit permit) {
        this(id, token, 0, permit);
    }

    /**
     * Returns true if the run frees its permit when it is suspended.
     *
     * @return false if the run holds no permit, or keeps its permit
     */
    public boolean freesPermitWhileWaiting() {
        return permit != null && !permit.kept();
    }

    /**
     * Returns true if the run frees its permit when this node leaves the run in a state. A pending run is picked up again soon, and keeps
     * its permit.
     *
     * @param state the state
     * @return false if the run holds no permit, or keeps its permit
     */
    public boolean freesPermitIn(RunState state) {
        return permit != null && state != RunState.PENDING;
    }

    /**
     * Returns the last position that must already be in the journal, so that the added entries leave no gap.
     *
     * @param entries the entries to add, possibly none
     * @return the position, negative if the journal may be empty
     */
    public int positionBefore(List<JournalEntry> entries) {
        return (entries.isEmpty() ? journaled : entries.get(0).position()) - 1;
    }

    RunLease withJournaled(int entries) {
        return new RunLease(id, token, entries, permit);
    }

    HeldLease held() {
        return new HeldLease("run", id.toString(), token);
    }

    @Override
    public String toString() {
        return "run %s (token %s)".formatted(id, token);
    }
}
