package io.sagaspring.run;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run as a store shows it.
 *
 * @param id the run's id
 * @param run the name of its code
 * @param key its key, or null
 * @param state the state it is in
 * @param node the node that executes it, or null
 * @param attempt how often it was picked up without an end or a wait
 * @param result the value that it returned, or null
 * @param error why it returned none, or null
 * @param cancelReason why it is to be cancelled, or null
 * @param startedAt the time at which it was started
 * @param dueAt the time at which it is due, or its lease ends
 * @param endedAt the time at which it ended
 * @param since since when it has been in its state; while a node executes it, since when that node does
 * @param journal from the first entry, empty in lists
 * @since 0.1.0
 */
public record RunRow(
        RunId id,
        String run,
        @Nullable String key,
        RunState state,
        @Nullable String node,
        int attempt,
        @Nullable StoredValue result,
        @Nullable String error,
        @Nullable String cancelReason,
        Instant startedAt,
        @Nullable Instant dueAt,
        @Nullable Instant endedAt,
        Instant since,
        List<JournalEntry> journal) {

    /**
     * Adds the journal to a row that was read without it.
     *
     * @param journal from the first entry
     * @return the same run with its journal
     */
    public RunRow with(List<JournalEntry> journal) {
        return new RunRow(
                id,
                run,
                key,
                state,
                node,
                attempt,
                result,
                error,
                cancelReason,
                startedAt,
                dueAt,
                endedAt,
                since,
                journal);
    }
}
