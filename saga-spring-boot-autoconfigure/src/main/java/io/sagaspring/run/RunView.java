package io.sagaspring.run;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run, in the form in which it is displayed. Input and result are not shown, because they may be secret.
 *
 * @param id the run's id
 * @param run the name of its code
 * @param key the key of the run, or null
 * @param tenant the tenant of the run, or null
 * @param state the state of the run
 * @param node the node that executes the run, or null
 * @param attempt the number of times that the run has been picked up since it last made progress; a new journal entry
 *     or a wait resets the count
 * @param error the error, or null if the run has none
 * @param cancelReason the reason for the run's cancellation, or null
 * @param startedAt the time at which the run was started
 * @param dueAt the time at which the run is due or its lease ends, or null
 * @param endedAt the time at which the run ended, or null
 * @param since the time at which the run entered its state; for a running run, the time at which its node picked it up
 * @param labels the value of each label, by its name
 * @param current the step that this node is executing; null if this node is not executing the run, or the run is
 *     between two steps
 * @param steps the journal's entries, in order; empty in lists
 * @since 0.1.0
 */
public record RunView(
        RunId id,
        String run,
        @Nullable String key,
        @Nullable String tenant,
        RunState state,
        @Nullable String node,
        int attempt,
        @Nullable String error,
        @Nullable String cancelReason,
        Instant startedAt,
        @Nullable Instant dueAt,
        @Nullable Instant endedAt,
        Instant since,
        Map<String, String> labels,
        @Nullable CurrentStep current,
        List<StepView> steps) {

    /**
     * The step that a run is executing.
     *
     * @param step the name of the step, including its key if it has one
     * @param since the time at which the step began
     */
    public record CurrentStep(String step, Instant since) {}

    /**
     * One entry of the journal.
     *
     * @param step the name of the step, including its key if it has one
     * @param kind the call that the code made
     * @param mark the result of the call
     * @param attempt the number of the attempt that the entry is about, over all retries of the run; 1 if no earlier
     *     attempt has failed
     * @param detail more information about the result: an error, an instant, the value of a label, the number of a
     *     signal, the id of a started run, the reason for a stop, or the person who resolved the step; null for none
     * @param until the time at which the run's wait or the pause before the next attempt ends, or null
     * @param at the time at which the entry was written
     */
    public record StepView(
            String step,
            String kind,
            String mark,
            int attempt,
            @Nullable String detail,
            @Nullable Instant until,
            @Nullable Instant at) {

        private static List<StepView> of(List<JournalEntry> journal) {
            Map<String, Integer> failed = new HashMap<>();
            return journal.stream().map(entry -> of(entry, failed)).toList();
        }

        private static StepView of(JournalEntry entry, Map<String, Integer> failed) {
            boolean isFailedAttempt = entry.mark() == JournalEntry.Mark.ATTEMPT_FAILED;
            int before = failed.getOrDefault(entry.step(), 0);
            if (isFailedAttempt) {
                failed.put(entry.step(), before + 1);
            }
            return new StepView(
                    entry.step(),
                    entry.call().name().toLowerCase(Locale.ROOT),
                    entry.mark().name().toLowerCase(Locale.ROOT),
                    before + 1,
                    isFailedAttempt ? entry.reason() : entry.detail(),
                    entry.until(),
                    entry.at());
        }
    }

    static RunView of(RunRow row, @Nullable CurrentStep current) {
        return new RunView(
                row.id(),
                row.run(),
                row.key(),
                row.tenant(),
                row.state(),
                row.node(),
                row.attempt(),
                row.error(),
                row.cancelReason(),
                row.startedAt(),
                row.dueAt(),
                row.endedAt(),
                row.since(),
                row.labels(),
                current,
                StepView.of(row.journal()));
    }
}
