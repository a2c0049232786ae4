package io.sagaspring.run;

import io.sagaspring.run.JournalEntry.Call;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The journal of one run while the run is executed. It replays the recorded entries one by one, and adds new entries behind the last
 * one. Added entries are written with the next change that has to be durable, before anything is done that relies on them.
 */
final class Journal {

    private static final int MOST_AT_ONCE = 64;

    private final RunStore store;
    private final RunLease runLease;
    private final List<JournalEntry> recorded;
    private final boolean interrupted;
    private final EarlyExit earlyExit;
    private final Consumer<ControlState> update;
    private final List<JournalEntry> added = new ArrayList<>();
    private final Set<String> steps = new HashSet<>();
    private @Nullable JournalEntry lastFailure;
    private int next;

    /**
     * Creates the journal of a run that was picked up.
     *
     * @param update takes the control state that each write returns
     */
    Journal(RunStore store, PickedUpRun pickedUp, EarlyExit earlyExit, Consumer<ControlState> update) {
        this.store = store;
        this.runLease = pickedUp.runLease();
        this.recorded = pickedUp.journal();
        this.interrupted = pickedUp.interrupted();
        this.earlyExit = earlyExit;
        this.update = update;
    }

    /**
     * Returns the lease with the number of written entries. If the database has lost some of them, it writes nothing behind the gap.
     */
    private RunLease runLease() {
        return runLease.withJournaled(next - added.size());
    }

    /** Blocks a run whose journal has a gap: nothing can be replayed behind the gap. */
    void requireWhole() {
        for (int position = 0; position < recorded.size(); position++) {
            if (recorded.get(position).position() != position) {
                throw blocked(
                        "The journal has a gap: position %s is missing, and position %s exists. The database has lost entries, perhaps in a failover to a lagging replica. Delete the entries of this run from position %s on from saga_step. The run then continues there, and executes the later steps again with the same keys."
                                .formatted(position, recorded.get(position).position(), position));
            }
        }
    }

    boolean isReplaying() {
        return next < recorded.size();
    }

    int position() {
        return next;
    }

    /** Returns the entry that is replayed next, or null if there is none left. */
    @Nullable
    JournalEntry upcoming() {
        return isReplaying() ? recorded.get(next) : null;
    }

    /** Replays the next entry, which has to match the call of the code. */
    JournalEntry replay(String step, Call call) {
        JournalEntry entry = readable();
        if (!entry.isAbout(step, call)) {
            throw blocked(
                    "The code calls %s '%s' at position %d, but the journal has %s there. Steps were renamed, reordered or removed since the entry was written. The run continues when the code fits again."
                            .formatted(call, step, next, entry));
        }
        next++;
        return entry;
    }

    /** Replays a later entry about the same step, which counts instead of the earlier one. Returns null if there is none. */
    @Nullable
    JournalEntry replayLater(String step) {
        JournalEntry entry = upcoming();
        return entry != null && entry.isAbout(step, Call.STEP) ? replay(step, Call.STEP) : null;
    }

    /** Replays the next entry, which is a stop. */
    JournalEntry replayStop() {
        JournalEntry stop = readable();
        next++;
        return stop;
    }

    private JournalEntry readable() {
        JournalEntry entry = recorded.get(next);
        if (!entry.isReadable()) {
            throw blocked(
                    "A node with a later version of this library has written position %d of the journal, and this node cannot read that entry. The run continues on a node that can read it."
                            .formatted(next));
        }
        return entry;
    }

    void requireReplayedAll() {
        if (isReplaying()) {
            throw blocked(
                    "The code ended at position %d, but the journal has %s there. Steps were removed since the entry was written. The run continues when the code fits again."
                            .formatted(next, recorded.get(next)));
        }
    }

    private Unwinding blocked(String why) {
        return earlyExit.leave(new Exit.Blocked(why, null));
    }

    /** Tells whether the next call may have begun before, on a node that died in it or had to leave it. */
    boolean mayHaveBegun() {
        return interrupted && next == recorded.size();
    }

    /** Requires that the name of a step is used once, so that each key identifies one effect. */
    void requireNew(String step) {
        earlyExit.requireNotLeft();
        if (!steps.add(step)) {
            throw new IllegalStateException(
                    "Step '%s' occurs twice in this run. A step in a loop needs a key that identifies the item of the loop: Step.of(\"%s\", invoice.id())."
                            .formatted(step, step));
        }
    }

    void add(JournalEntry entry) {
        added.add(entry);
        next++;
        if (added.size() >= MOST_AT_ONCE) {
            write();
        }
    }

    /** Adds the entry of a failed step. If the run ends with that failure, the entry is removed again. */
    void addFailure(JournalEntry entry) {
        add(entry);
        lastFailure = entry;
    }

    /** Removes the entry of the failure with which the run ends, so that a retry begins with its step. */
    void forgetFailure(Throwable ending) {
        JournalEntry entry = lastFailure;
        if (entry != null && (isLast(entry) || StepFailedException.isDueTo(entry.step(), ending))) {
            takeBack(entry);
        }
    }

    void forgetIfLast(JournalEntry entry) {
        if (isLast(entry)) {
            takeBack(entry);
        }
    }

    private boolean isLast(JournalEntry entry) {
        return !added.isEmpty() && added.get(added.size() - 1).equals(entry);
    }

    /** Removes an entry that is not written yet, with the entries behind it: a journal has no gaps. */
    private void takeBack(JournalEntry entry) {
        int first = added.indexOf(entry);
        if (first >= 0) {
            List<JournalEntry> takenBack = added.subList(first, added.size());
            next -= takenBack.size();
            takenBack.clear();
        }
    }

    /** Discards the added entries. */
    void forget() {
        next -= added.size();
        added.clear();
    }

    /** Writes the added entries. They are durable when this method returns. */
    void write() {
        if (!added.isEmpty()) {
            writeAndUpdate();
        }
    }

    /** Writes the added entries, if there are any, and updates the control state in any case. */
    void writeAndUpdate() {
        update.accept(earlyExit.callStore(() -> with(store::checkpoint)));
        written();
    }

    /** Writes the entry, unless the control state has changed: then the control state is updated, and the entry is not added. */
    boolean writeUnlessChanged(JournalEntry entry, ControlState known) {
        List<JournalEntry> entries = new ArrayList<>(added);
        entries.add(entry);
        boolean isWritten = earlyExit.callStore(() -> store.conclude(runLease(), entries, known));
        if (isWritten) {
            next++;
            written();
        } else {
            writeAndUpdate();
        }
        return isWritten;
    }

    /** Changes the run in one commit with the added entries. If the change succeeds, call {@link #written()}. */
    <T> T with(BiFunction<RunLease, List<JournalEntry>, T> change) {
        return change.apply(runLease(), added);
    }

    void written() {
        added.clear();
    }

    /** Writes the entry as the last statement of the caller's transaction. When that has committed, call {@link #committed()}. */
    void writeInTransaction(JournalEntry last) {
        update.accept(store.checkpoint(runLease(), List.of(last)));
    }

    void committed() {
        next++;
    }
}
