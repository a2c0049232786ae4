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
 * The journal of one run while it is being executed. The journal replays the recorded entries one by one, and appends
 * new entries. Appended entries are written with the next change that must be durable, before anything that relies on
 * them is done.
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
    private final Set<String> refused = new HashSet<>();
    private @Nullable JournalEntry lastFailure;
    private int next;

    /** The number of added entries, from the first, that need not be durable before the next step begins. */
    private int unhurried;

    /**
     * Creates the journal of a run that was picked up.
     *
     * @param update the consumer of the control state that each write returns
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
     * Returns the lease with the number of journal entries that the database should have. If the database has lost some
     * of these entries, the store rejects the next write, so that the journal gets no gap.
     */
    private RunLease runLease() {
        return runLease.withJournaled(next - added.size());
    }

    /** Blocks a run whose journal has a gap, because nothing after the gap can be replayed. */
    void requireWhole() {
        for (int position = 0; position < recorded.size(); position++) {
            if (recorded.get(position).position() != position) {
                throw blocked(
                        "The journal has a gap: position %s is missing, and position %s exists. The database has lost entries, probably in a failover to a lagging replica. In saga_step, delete this run's entries from position %s on. The run then continues there, and executes the later steps again with the same idempotency keys."
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

    /** Returns the entry to replay next, or null if there is none. */
    @Nullable
    JournalEntry upcoming() {
        return isReplaying() ? recorded.get(next) : null;
    }

    /** Replays the next entry, which must match the call in the code. */
    JournalEntry replay(String step, Call call) {
        JournalEntry entry = readable();
        if (!entry.isAbout(step, call)) {
            throw blocked(
                    "The code calls %s '%s' at position %d, but the journal has %s there. Steps were added, renamed, reordered or removed since the entry was written. The run continues when the code matches the journal again."
                            .formatted(call, step, next, entry));
        }
        next++;
        return entry;
    }

    /**
     * Replays the next entry if it is about the same call of the same step. The result in such an entry replaces the
     * result in the previous entry. If the next entry is about something else, returns null.
     */
    @Nullable
    JournalEntry replayLater(String step, Call call) {
        JournalEntry entry = upcoming();
        return entry != null && entry.isAbout(step, call) ? replay(step, call) : null;
    }

    /** Replays the next entry, which records that the run was stopped. */
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
                    "The code ended at position %d, but the journal has %s there. Steps were removed since the entry was written. The run continues when the code matches the journal again."
                            .formatted(next, recorded.get(next)));
        }
    }

    private Unwinding blocked(String why) {
        return earlyExit.leave(new Exit.Blocked(why, null));
    }

    /** Returns true if the next call may already have begun on a node that died in it or had to release the run. */
    boolean mayHaveBegun() {
        return interrupted && next - unhurried == recorded.size();
    }

    /**
     * Requires that each step name is used only once, so that each idempotency key identifies one effect. If a name is
     * used a third time, blocks the run, because a loop that catches the exception of the second use might never end.
     */
    void requireNew(String step) {
        earlyExit.requireNotLeft();
        if (!steps.add(step)) {
            if (!refused.add(step)) {
                writeBeforeBlocked();
                throw blocked(
                        "Step '%s' is called a third time, although its second call was refused. Use Step.retry to attempt it again, or a key in its name for each item of a loop."
                                .formatted(step));
            }
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

    /**
     * Adds the first entry of a run. It is written together with the next entry, because the next step does not rely on
     * it.
     */
    void addFirst(JournalEntry entry) {
        add(entry);
        unhurried = added.size();
    }

    /**
     * Adds the entry of a failed step. If the run ends with that failure, {@link #forgetFailure} removes the entry
     * again.
     */
    void addFailure(JournalEntry entry) {
        add(entry);
        lastFailure = entry;
    }

    /**
     * Writes the results of this execution, because they fit the code. If the last entry is a failure, does not write
     * it, so that the failed step is attempted again when the code has been corrected.
     */
    private void writeBeforeBlocked() {
        if (lastFailure != null) {
            forgetIfLast(lastFailure);
        }
        write();
    }

    /** Removes the entry of the failure that ended the run, so that a retry begins with the failed step. */
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

    /** Removes an entry that is not written yet, and the entries after it, because a journal must not have gaps. */
    private void takeBack(JournalEntry entry) {
        int first = added.indexOf(entry);
        if (first >= 0) {
            List<JournalEntry> takenBack = added.subList(first, added.size());
            next -= takenBack.size();
            takenBack.clear();
            unhurried = Math.min(unhurried, added.size());
        }
    }

    /** Discards the entries that are not written yet. */
    void forget() {
        next -= added.size();
        written();
    }

    /** Writes the added entries on which the next step relies. They are durable when this method returns. */
    void write() {
        if (added.size() > unhurried) {
            writeAndUpdate();
        }
    }

    /** Updates the control state, and writes the added entries if there are any. */
    void writeAndUpdate() {
        update.accept(earlyExit.callStore(() -> with(store::checkpoint)));
        written();
    }

    /**
     * Writes the added entries and this one, unless the control state has changed. If the control state has changed,
     * writes only the added entries, updates the control state, and returns false.
     */
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

    /** Changes the run and writes the added entries in one commit. If the change succeeds, call {@link #written()}. */
    <T> T with(BiFunction<RunLease, List<JournalEntry>, T> change) {
        return change.apply(runLease(), added);
    }

    void written() {
        added.clear();
        unhurried = 0;
    }

    /**
     * Writes the added entries and this one as the last statement of the caller's transaction. When that transaction has committed, call
     * {@link #committed()}.
     */
    void writeInTransaction(JournalEntry last) {
        List<JournalEntry> entries = new ArrayList<>(added);
        entries.add(last);
        update.accept(store.checkpoint(runLease(), entries));
    }

    void committed() {
        next++;
        written();
    }
}
