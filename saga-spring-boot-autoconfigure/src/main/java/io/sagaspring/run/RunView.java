package io.sagaspring.run;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A run as people see it. What it was given and returned is not shown: it may be a secret.
 *
 * @param id which run
 * @param run the name of its code
 * @param key its key, or null
 * @param state where it stands
 * @param node who drives it, or null
 * @param attempt how often it was taken up without an end or a wait
 * @param error why it is not completed, or null
 * @param cancelReason why it was cancelled, or null
 * @param startedAt when it was started
 * @param dueAt when it is to be taken up, or its lease ends
 * @param endedAt when it was over
 * @param since since when it has been in this state; while a node executes it, since when that node does
 * @param current the step it is in, if this node executes it and it is in one
 * @param steps what the journal says, first things first; empty in lists
 * @since 0.1.0
 */
public record RunView(
        RunId id,
        String run,
        @Nullable String key,
        RunState state,
        @Nullable String node,
        int attempt,
        @Nullable String error,
        @Nullable String cancelReason,
        Instant startedAt,
        @Nullable Instant dueAt,
        @Nullable Instant endedAt,
        Instant since,
        @Nullable CurrentStep current,
        List<StepView> steps) {

    /**
     * The step that a run is in.
     *
     * @param step its name, with its key
     * @param since when it began
     */
    public record CurrentStep(String step, Instant since) {}

    /**
     * One entry of the journal.
     *
     * @param step its name, with its key
     * @param kind what was asked for
     * @param mark what became of it
     * @param detail an error, an instant, the number of a signal, or who resolved the step
     * @param until until when it waits
     * @param at when it was written
     */
    public record StepView(
            String step,
            String kind,
            String mark,
            @Nullable String detail,
            @Nullable Instant until,
            @Nullable Instant at) {}

    static RunView of(RunRow row, @Nullable CurrentStep current) {
        return new RunView(
                row.id(),
                row.run(),
                row.key(),
                row.state(),
                row.node(),
                row.attempt(),
                row.error(),
                row.cancelReason(),
                row.startedAt(),
                row.dueAt(),
                row.endedAt(),
                row.since(),
                current,
                row.journal().stream()
                        .map(entry -> new StepView(
                                entry.step(),
                                entry.call().name().toLowerCase(Locale.ROOT),
                                entry.mark().name().toLowerCase(Locale.ROOT),
                                entry.detail(),
                                entry.until(),
                                entry.at()))
                        .toList());
    }
}
