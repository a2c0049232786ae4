package io.sagaspring.run;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run as a store returns it.
 *
 * @param id the run's id
 * @param run the name of its code
 * @param key its key, or null
 * @param tenant the tenant of the run, or null
 * @param state the state it is in
 * @param node the node that executes it, or null
 * @param attempt the number of times that it was picked up since it last made progress; a new
 *     journal entry or a wait restarts the count
 * @param result the result of the run, or null
 * @param error the error, or null if the run has none
 * @param cancelReason the reason for its cancellation, or null
 * @param startedAt the time at which it was started
 * @param dueAt the time at which it is due, or at which its lease ends, or null
 * @param endedAt the time at which it ended, or null
 * @param since the time since which it is in its state; while a node executes it, the time since which that node does
 * @param journal the entries, the first one first; empty in lists
 * @since 0.1.0
 */
public record RunRow(
        RunId id,
        String run,
        @Nullable String key,
        @Nullable String tenant,
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
     * @param journal the entries, the first one first
     * @return the same run with its journal
     */
    public RunRow with(List<JournalEntry> journal) {
        return new RunRow(
                id,
                run,
                key,
                tenant,
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
