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
 * The journal of one run while it is executed. Its entries are replayed one by one; behind the last one new entries are added.
 * What was added is written with the next thing that has to be durable, before anything is done that relies on it.
 */
final class Journal {

    private static final int MOST_AT_ONCE = 64;

    private final RunStore store;
    private final RunLease runLease;
    private final List<JournalEntry> recorded;
    private final boolean interrupted;
    private final EarlyExit leaving;
    private final Consumer<ControlState> heard;
    private final List<JournalEntry> added = new ArrayList<>();
    private final Set<String> steps = new HashSet<>();
    private @Nullable JournalEntry lastFailure;
    private int next;

    /**
     * Creates the journal of a run that was picked up.
     *
     * @param heard is given what each write has found that the run was told
     */
    Journal(RunStore store, PickedUpRun taken, EarlyExit leaving, Consumer<ControlState> heard) {
        this.store = store;
        this.runLease = taken.runLease();
        this.recorded = taken.journal();
        this.interrupted = taken.interrupted();
        this.leaving = leaving;
        this.heard = heard;
    }

    /** With what it knows to be written: the database may have forgotten it, and then nothing is written behind it. */
    private RunLease runLease() {
        return runLease.knowing(next - added.size());
    }

    /** Nothing is replayed beyond a hole: nobody knows what was there. */
    void requireWhole() {
        for (int position = 0; position < recorded.size(); position++) {
            if (recorded.get(position).position() != position) {
                throw blocked(
                        "The journal has a hole: position %s is missing, and position %s is there. The database has lost what was written, perhaps in a fail-over to a replica that lagged behind. Delete the entries of this run from position %s on from saga_step, and it goes on from there: steps behind it run again, with the same keys."
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

    /** Replays the next entry, which has to be about what the code asks for. */
    JournalEntry replay(String step, Call call) {
        JournalEntry entry = readable();
        if (!entry.isAbout(step, call)) {
            throw blocked(
                    "The code asks for %s '%s' at position %d, and the journal has %s there. Steps were renamed, reordered or removed since the run was there; it goes on when the code fits again."
                            .formatted(call, step, next, entry));
        }
        next++;
        return entry;
    }

    /** Replays what was said later about the step of which an earlier entry is: it counts instead of that. */
    @Nullable
    JournalEntry replayLater(String step) {
        JournalEntry entry = upcoming();
        return entry != null && entry.isAbout(step, Call.STEP) ? replay(step, Call.STEP) : null;
    }

    /** Replays the next entry, which says that the run was told to stop. */
    JournalEntry replayStop() {
        JournalEntry stop = readable();
        next++;
        return stop;
    }

    private JournalEntry readable() {
        JournalEntry entry = recorded.get(next);
        if (!entry.isReadable()) {
            throw blocked(
                    "A node with a later version of this library has written position %d of the journal, and this node cannot read it. It goes on where it can be read."
                            .formatted(next));
        }
        return entry;
    }

    void requireReplayedAll() {
        if (isReplaying()) {
            throw blocked(
                    "The code has come to its end at position %d, and the journal has %s there. Steps were removed since the run was there; it goes on when the code fits again."
                            .formatted(next, recorded.get(next)));
        }
    }

    private Unwinding blocked(String why) {
        return leaving.leave(new Exit.Blocked(why, null));
    }

    /** Whether what comes next may have begun before, on a node that died in it or had to leave it. */
    boolean mayHaveBegun() {
        return interrupted && next == recorded.size();
    }

    /** A name means one step, so that its key means one effect. */
    void requireNew(String step) {
        leaving.requireNotLeft();
        if (!steps.add(step)) {
            throw new IllegalStateException(
                    "Step '%s' is there twice in this run. A step in a loop needs a key of what it is about: Step.of(\"%s\", invoice.id())."
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

    /** Adds the entry of a step that failed. If the run ends with that failure, the entry is taken back. */
    void addFailure(JournalEntry entry) {
        add(entry);
        lastFailure = entry;
    }

    /** If the run ends with a failure, that is not journaled: a retry begins with its step. */
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

    /** Takes back an entry that is not written, with those behind it: there are no holes in a journal. */
    private void takeBack(JournalEntry entry) {
        int first = added.indexOf(entry);
        if (first >= 0) {
            List<JournalEntry> takenBack = added.subList(first, added.size());
            next -= takenBack.size();
            takenBack.clear();
        }
    }

    /** What was added is not to be written. */
    void forget() {
        next -= added.size();
        added.clear();
    }

    /** What was added is durable when this returns. */
    void write() {
        if (!added.isEmpty()) {
            writeAndHear();
        }
    }

    /** Asks what the run was told even where there is nothing to write. */
    void writeAndHear() {
        heard.accept(leaving.asking(() -> with(store::checkpoint)));
        written();
    }

    /** Adds it durably, unless the run was told something meanwhile: then that is known, and nothing is added. */
    boolean writeUnlessTold(JournalEntry entry, ControlState known) {
        List<JournalEntry> entries = new ArrayList<>(added);
        entries.add(entry);
        boolean isWritten = leaving.asking(() -> store.conclude(runLease(), entries, known));
        if (isWritten) {
            next++;
            written();
        } else {
            writeAndHear();
        }
        return isWritten;
    }

    /** Makes a change of the run in one commit with what was added. If the change is made, {@link #written()} is to be called. */
    <T> T with(BiFunction<RunLease, List<JournalEntry>, T> change) {
        return change.apply(runLease(), added);
    }

    void written() {
        added.clear();
    }

    /** As the last statement of the caller's transaction; {@link #committed()} is to be called when that is committed. */
    void writeInTransaction(JournalEntry last) {
        heard.accept(store.checkpoint(runLease(), List.of(last)));
    }

    void committed() {
        next++;
    }
}
