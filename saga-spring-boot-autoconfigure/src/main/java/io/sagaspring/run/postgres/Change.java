package io.sagaspring.run.postgres;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.Labels;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StoredValue;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of one run. Many changes may share one statement and one commit.
 *
 * @param <A> the type of the database's reply
 */
abstract sealed class Change<A> {

    private @Nullable A answer;

    /**
     * Returns the reply, or null if the change was not made, for example because the run has another owner or its row
     * is locked.
     */
    @Nullable
    A answer() {
        return answer;
    }

    void answer(A given) {
        this.answer = given;
    }

    /** Discards the reply of a transaction that was rolled back, before the change is made again. */
    void forgetAnswer() {
        this.answer = null;
    }

    /** Describes the change. An exception's message begins with this text. */
    abstract String activity();

    /**
     * Returns true if the change writes labels. A statement for many runs cannot write labels, so such a change is made
     * alone.
     */
    abstract boolean writesLabels();

    /**
     * Returns the size of the change's data in bytes or characters. A large change is made alone, so that it does not
     * delay the others.
     */
    abstract long size();

    private static long size(@Nullable StoredValue value) {
        return value == null ? 0 : value.bytes().length;
    }

    private static long size(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    static final class Start extends Change<Started> {

        private final NewRun run;

        Start(NewRun run) {
            this.run = run;
        }

        NewRun run() {
            return run;
        }

        @Override
        boolean writesLabels() {
            return !run.labels().isEmpty();
        }

        @Override
        String activity() {
            return "Starting the run '%s'".formatted(run.run());
        }

        @Override
        long size() {
            return Change.size(run.input()) + Change.size(run.carried());
        }
    }

    /** A write of the node that executes a run: journal entries, and optionally the release of the run. */
    static final class Write extends Change<ControlState> {

        private final RunLease runLease;
        private final List<JournalEntry> entries;
        private final @Nullable Release release;

        Write(RunLease runLease, List<JournalEntry> entries, @Nullable Release release) {
            this.runLease = runLease;
            this.entries = List.copyOf(entries);
            this.release = release;
        }

        RunLease runLease() {
            return runLease;
        }

        List<JournalEntry> entries() {
            return entries;
        }

        int positionBefore() {
            return runLease.positionBefore(entries);
        }

        @Nullable
        Release release() {
            return release;
        }

        @Override
        boolean writesLabels() {
            return Labels.areSetBy(entries);
        }

        @Override
        String activity() {
            if (release == null) {
                return "Journaling " + runLease;
            }
            return (release.ending().state() == RunState.WAITING ? "Suspending %s" : "Ending %s").formatted(runLease);
        }

        @Override
        long size() {
            return entries.stream()
                            .mapToLong(each -> Change.size(each.value()) + Change.size(each.detail()))
                            .sum()
                    + (release == null
                            ? 0
                            : Change.size(release.ending().result())
                                    + Change.size(release.ending().error()));
        }
    }

    /**
     * The release of a run by the node that executes it.
     *
     * @param ending the new state of the run, its result or error, and the pause before the run is due again
     * @param known the control state that the caller knows: if it has changed since, nothing is written; null for
     *     no check
     */
    record Release(Ending ending, @Nullable ControlState known) {

        static Release waiting(@Nullable Duration pause, ControlState known) {
            return new Release(new Ending(RunState.WAITING, null, null, pause), known);
        }
    }
}
