package io.sagaspring.test.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A run in the model. Its times are measured from the model's beginning. */
final class ModelledRun {

    final NewRun requested;

    @Nullable
    Duration deadline;

    RunState state = RunState.PENDING;
    int attempt;
    int entriesAtPickUp;
    int signalCount;

    @Nullable
    String cancelReason;

    @Nullable
    String result;

    @Nullable
    String error;

    @Nullable
    Duration due;

    @Nullable
    Duration endedAt;

    @Nullable
    FencingToken token;

    @Nullable
    FencingToken tokenOfStart;

    boolean isExecuting;
    boolean isCompensating;
    boolean isInterrupted;
    int retries;
    final List<String> journal = new ArrayList<>();

    @Nullable
    String lastStep;

    private boolean lastIsResult;
    final Map<String, String> signals = new LinkedHashMap<>();
    final Set<String> endedWaits = new HashSet<>();
    final Set<String> keysOfReplies = new HashSet<>();

    ModelledRun(NewRun requested) {
        this.requested = requested;
    }

    /** Returns true if a start with the given run's key finds this run. */
    boolean hasKeyOf(NewRun other) {
        StartKey key = requested.key();
        return key != null
                && (endedAt == null || key.kind() == StartKey.Kind.UNTIL_REMOVED)
                && key.equals(other.key())
                && Objects.equals(requested.tenant(), other.tenant())
                && requested.run().equals(other.run());
    }

    RunState shown() {
        boolean continues =
                EnumSet.of(RunState.PENDING, RunState.RUNNING, RunState.WAITING).contains(state);
        return isCompensating && continues ? RunState.COMPENSATING : state;
    }

    void rest(RunState next, @Nullable Duration dueNext) {
        state = next;
        isExecuting = false;
        due = dueNext;
    }

    void add(List<JournalEntry> entries) {
        for (JournalEntry entry : entries) {
            if (entry.position() == journal.size()) {
                journal.add(RunStoreContract.text(entry));
                lastStep = entry.step();
                lastIsResult = entry.call() == JournalEntry.Call.STEP && entry.mark() == JournalEntry.Mark.DONE;
                if (entry.mark() == JournalEntry.Mark.TIMED_OUT
                        || entry.call() == JournalEntry.Call.STOP
                        || entry.call() == JournalEntry.Call.STOP_AMID) {
                    endedWaits.add(entry.step());
                }
            }
        }
    }

    boolean canBeRetried() {
        return EnumSet.of(RunState.PARKED, RunState.BLOCKED, RunState.COMPENSATION_FAILED)
                        .contains(state)
                || (state == RunState.FAILED && !isCompensating);
    }

    /** Returns true if a person may resolve the last step. */
    boolean isOpen() {
        return state == RunState.IN_DOUBT || (state == RunState.BLOCKED && lastIsResult);
    }

    String seen() {
        return RunStoreContract.text(
                requested.run(),
                requested.keyText(),
                requested.tenant(),
                shown(),
                isExecuting,
                attempt,
                result,
                error,
                cancelReason,
                due != null,
                endedAt != null,
                journal);
    }
}
