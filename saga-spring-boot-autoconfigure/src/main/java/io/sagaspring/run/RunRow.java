package io.sagaspring.run;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run as stored.
 *
 * @param id the run's id
 * @param run the name of its code
 * @param key its key, or null
 * @param tenant the tenant of the run, or null
 * @param state the state of the run
 * @param node the node that executes the run, or null
 * @param attempt the number of times that the run has been picked up since it last made progress; a new journal entry
 *     or a wait resets the count
 * @param result the result of the run, or null
 * @param error the error, or null if the run has none
 * @param cancelReason the reason for the run's cancellation, or null
 * @param startedAt the time at which the run was started
 * @param dueAt the time at which the run is due or its lease ends, or null
 * @param endedAt the time at which the run ended, or null
 * @param since the time at which the run entered its state; for a running run, the time at which its node picked it up
 * @param labels the value of each label, by its name; empty if they were not read
 * @param journal the journal's entries, in order; empty in lists
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
        Map<String, String> labels,
        List<JournalEntry> journal) {

    /**
     * Returns this row with the journal, which was read separately.
     *
     * @param journal the journal's entries, in order
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
                labels,
                journal);
    }
}
