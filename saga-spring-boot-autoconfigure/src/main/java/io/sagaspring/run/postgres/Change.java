package io.sagaspring.run.postgres;

import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
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
 * One change of one run, of many that share a statement and a commit.
 *
 * @param <A> what the database answers
 */
abstract sealed class Change<A> {

    private @Nullable A answer;

    /** Null if it was not made: the row is another's, is locked, or is no longer as it was known. */
    @Nullable
    A answer() {
        return answer;
    }

    void answer(A given) {
        this.answer = given;
    }

    /** What it was answered by a transaction that was rolled back is void, and it is made once more. */
    void forgetAnswer() {
        this.answer = null;
    }

    /** What is being done, as the subject of a sentence. */
    abstract String what();

    /** How many bytes it brings: what is large makes others wait. */
    abstract long size();

    private static long size(@Nullable StoredValue value) {
        return value == null ? 0 : value.bytes().length;
    }

    private static long size(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /** A run begins. */
    static final class Start extends Change<Started> {

        private final NewRun run;

        Start(NewRun run) {
            this.run = run;
        }

        NewRun run() {
            return run;
        }

        @Override
        String what() {
            return "Starting the run '%s'".formatted(run.run());
        }

        @Override
        long size() {
            return Change.size(run.input()) + Change.size(run.carried());
        }
    }

    /** A run that is driven is written, and may be left. */
    static final class Write extends Change<ControlState> {

        private final RunLease runLease;
        private final List<JournalEntry> entries;
        private final @Nullable Leave leave;

        Write(RunLease runLease, List<JournalEntry> entries, @Nullable Leave leave) {
            this.runLease = runLease;
            this.entries = List.copyOf(entries);
            this.leave = leave;
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
        Leave leave() {
            return leave;
        }

        @Override
        String what() {
            if (leave == null) {
                return "Journaling " + runLease;
            }
            return (leave.ending().state() == RunState.WAITING ? "Letting %s wait" : "Ending %s").formatted(runLease);
        }

        @Override
        long size() {
            return entries.stream()
                            .mapToLong(each -> Change.size(each.value()) + Change.size(each.detail()))
                            .sum()
                    + (leave == null
                            ? 0
                            : Change.size(leave.ending().result())
                                    + Change.size(leave.ending().error()));
        }
    }

    /**
     * How a run is left.
     *
     * @param ending the state, and after which pause it is taken up again
     * @param known what it had been told: if it was told something since, nothing is changed; null if that does not matter
     */
    record Leave(Ending ending, @Nullable ControlState known) {

        static Leave waiting(@Nullable Duration pause, ControlState known) {
            return new Leave(new Ending(RunState.WAITING, null, null, pause), known);
        }
    }
}
