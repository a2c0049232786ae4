package io.sagaspring.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import java.util.List;

/**
 * The lease of a run that this node executes.
 *
 * @param id the run's id
 * @param token the fencing token
 * @param journaled the number of entries that this node expects in the journal: if there are fewer, the store writes
 *     nothing; 0 if it expects none
 * @since 0.1.0
 */
public record RunLease(RunId id, FencingToken token, int journaled) {

    /**
     * Creates the lease of a run, without expecting any entries in its journal.
     *
     * @param id the run's id
     * @param token the fencing token
     */
    public RunLease(RunId id, FencingToken token) {
        this(id, token, 0);
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
        return new RunLease(id, token, entries);
    }

    HeldLease held() {
        return new HeldLease("run", id.toString(), token);
    }

    @Override
    public String toString() {
        return "run %s (token %s)".formatted(id, token);
    }
}
