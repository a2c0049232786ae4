package io.sagaspring.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import java.util.List;

/**
 * A run that this node drives.
 *
 * @param id which run
 * @param token the proof
 * @param journaled the number of entries that this node knows to be in the journal: nothing is written if the store has
 *     fewer; 0 expects none
 * @since 0.1.0
 */
public record RunLease(RunId id, FencingToken token, int journaled) {

    /**
     * A run of whose journal nothing is expected.
     *
     * @param id which run
     * @param token the proof
     */
    public RunLease(RunId id, FencingToken token) {
        this(id, token, 0);
    }

    /**
     * Returns the last position that has to be in the journal, so that these entries leave no hole.
     *
     * @param entries what is to be added, none to add nothing
     * @return the position, negative if the journal may be empty
     */
    public int positionBefore(List<JournalEntry> entries) {
        return (entries.isEmpty() ? journaled : entries.get(0).position()) - 1;
    }

    RunLease knowing(int entries) {
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
