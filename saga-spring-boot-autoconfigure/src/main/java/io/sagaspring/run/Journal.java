package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.Entry.Call;
import io.sagaspring.run.Entry.Mark;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The journal of one run while it is driven: first it is told again, entry by entry, then it is added to. What was added is
 * written with the next thing that has to be durable, before anything is done that relies on it.
 */
final class Journal {

    private static final int MOST_AT_ONCE = 64;

    /** Where it is told to stop that has come to its end. */
    private static final String END = "end";

    private final RunStore store;
    private final Driven driven;
    private final List<Entry> told;
    private final boolean interrupted;
    private final BooleanSupplier closing;
    private final List<Entry> added = new ArrayList<>();
    private final Set<String> steps = new HashSet<>();
    private final Set<String> takenUp = new HashSet<>();
    private Standing standing;
    private boolean stopped;
    private boolean compensating;
    private boolean endsUnlessTold;
    private boolean cancelled;
    private @Nullable Entry stop;
    private @Nullable Entry lastFailure;
    private int next;
    private @Nullable Unwinding unwinding;

    /**
     * The journal of a run that was taken up.
     *
     * @param closing whether no step is to be begun any more
     */
    Journal(RunStore store, PickedUpRun taken, BooleanSupplier closing) {
        this.store = store;
        this.driven = taken.driven();
        this.told = taken.journal();
        this.standing = taken.standing();
        this.interrupted = taken.interrupted();
        this.closing = closing;
        told.forEach(each -> each.signalNumber().ifPresent(takenUp::add));
    }

    /** With what it knows to be written: the database may have forgotten it, and then nothing is written behind it. */
    private Driven driven() {
        return driven.knowing(next - added.size());
    }

    /** Nothing is told again beyond a hole: nobody knows what was there. */
    void requireWhole() {
        for (int position = 0; position < told.size(); position++) {
            if (told.get(position).position() != position) {
                throw leave(new Exit.Blocked(
                        "The journal has a hole: position %s is missing, and position %s is there. The database has lost what was written, perhaps in a fail-over to a replica that lagged behind. Delete the entries of this run from position %s on from saga_step, and it goes on from there: steps behind it run again, with the same keys."
                                .formatted(position, told.get(position).position(), position),
                        null));
            }
        }
    }

    boolean isToldAgain() {
        return next < told.size();
    }

    /** Whether it was told to stop, and why. */
    Standing standing() {
        return standing;
    }

    int position() {
        return next;
    }

    /** What it was told at this position, if it was; else it goes on from here. */
    @Nullable
    Entry tellAgain(String step, Call call) {
        requireNotLeft();
        if (!isToldAgain()) {
            return null;
        }
        requireNotStoppedAt(step);
        return toldNext(step, call);
    }

    /** What became of the step of which an earlier entry says that it began. */
    @Nullable
    Entry tellMore(String step, Call call) {
        requireNotStoppedAt(step);
        return isToldAgain() ? toldNext(step, call) : null;
    }

    /** What was said later about the step of which an earlier entry is: it counts instead of that. */
    @Nullable
    Entry tellLater(String step) {
        return isToldAgain() && told.get(next).isAbout(step, Call.STEP) ? toldNext(step, Call.STEP) : null;
    }

    private Entry toldNext(String step, Call call) {
        Entry entry = told.get(next);
        requireReadable(entry);
        if (!entry.isAbout(step, call)) {
            throw leave(new Exit.Blocked(
                    "The code asks for %s '%s' at position %d, and the journal has %s there. Steps were renamed, reordered or removed since the run was there; it goes on when the code fits again."
                            .formatted(call, step, next, entry),
                    null));
        }
        next++;
        return entry;
    }

    /** Reads what an entry has. What cannot be read blocks the run, unless it is to stop and has come no further. */
    @Nullable
    Object read(Entry entry, Payloads payloads, Type type) {
        Object value;
        try {
            value = payloads.read(entry.value(), type);
        } catch (PayloadException unreadable) {
            requireNotStoppedAt(entry.step());
            if (!isToldAgain()) {
                requireNotToStop(entry.step(), Duration.ZERO);
            }
            throw leave(new Exit.Blocked(
                    "What is journaled for '%s' cannot be read: %s It goes on when the code fits again; if it is the last step, Runs.resolveAsDone says what it returned."
                            .formatted(entry.step(), unreadable.getMessage()),
                    unreadable));
        }
        requireNotStoppedBehind(entry.step());
        return value;
    }

    private void requireReadable(Entry entry) {
        if (!entry.isReadable()) {
            throw leave(new Exit.Blocked(
                    "A node with a later version of this library has written position %d of the journal, and this node cannot read it. It goes on where it can be read."
                            .formatted(next),
                    null));
        }
    }

    /** That it was told to stop is said where it was, and thrown there again. */
    void requireNotStoppedAt(String step) {
        if (isToldAgain() && told.get(next).isStopAt(step)) {
            requireReadable(told.get(next));
            Entry stop = told.get(next++);
            throw stop(stop);
        }
    }

    /**
     * Nothing says that a sleep was over, or that what was stored could not be read when it was told to stop. What was told to
     * stop behind it may also be a signal of its name, which has no time left.
     */
    void requireNotStoppedBehind(String step) {
        if (isToldAgain() && told.get(next).until() != null) {
            requireNotStoppedAt(step);
        }
    }

    void requireToldAll() {
        if (isToldAgain()) {
            throw leave(new Exit.Blocked(
                    "The code has come to its end at position %d, and the journal has %s there. Steps were removed since the run was there; it goes on when the code fits again."
                            .formatted(next, told.get(next)),
                    null));
        }
    }

    /** A name means one step, so that its key means one effect. */
    void requireNew(String step) {
        requireNotLeft();
        if (!steps.add(step)) {
            throw new IllegalStateException(
                    "Step '%s' is there twice in this run. A step in a loop needs a key of what it is about: Step.of(\"%s\", invoice.id())."
                            .formatted(step, step));
        }
    }

    void add(Entry entry) {
        added.add(entry);
        next++;
        if (added.size() >= MOST_AT_ONCE) {
            write();
        }
    }

    /** Says which entry is that of the latest failure. */
    void failedAt(Entry entry) {
        lastFailure = entry;
    }

    /** If the run ends with a failure, that is not journaled: a retry begins with its step. */
    void forgetFailure(Throwable ending) {
        Entry entry = lastFailure;
        if (entry != null && (isLast(entry) || StepFailedException.isDueTo(entry.step(), ending))) {
            takeBack(entry);
        }
    }

    private boolean isLast(Entry entry) {
        return !added.isEmpty() && added.get(added.size() - 1).equals(entry);
    }

    /** Whether what comes next may have begun before, on a node that died in it or had to leave it. */
    boolean mayHaveBegun() {
        return interrupted && next == told.size();
    }

    /** Takes back an entry that is not written, with those behind it: there are no holes in a journal. */
    private void takeBack(Entry entry) {
        int first = added.indexOf(entry);
        if (first >= 0) {
            List<Entry> takenBack = added.subList(first, added.size());
            next -= takenBack.size();
            takenBack.clear();
        }
    }

    /** Adds it durably, unless the run was told something meanwhile: then that is known, and nothing is added. */
    boolean conclude(Entry entry) {
        Standing known = standing;
        List<Entry> entries = new ArrayList<>(added);
        entries.add(entry);
        boolean concluded = asking(() -> store.conclude(driven(), entries, known));
        if (concluded) {
            next++;
        } else {
            standing = asking(() -> store.checkpoint(driven(), added));
        }
        added.clear();
        return concluded;
    }

    /** What was added is durable when this returns. */
    void write() {
        if (!added.isEmpty()) {
            standing = asking(() -> store.checkpoint(driven(), added));
            added.clear();
        }
    }

    /** As the last statement of the caller's transaction; {@link #written()} is to be said when that is committed. */
    void writeInTransaction(Entry last) {
        standing = store.checkpoint(driven(), List.of(last));
    }

    void written() {
        next++;
    }

    /** Before a step is begun: what is begun is given time to end, and what is not is another node's. */
    void requireNotClosing() {
        if (closing.getAsBoolean()) {
            throw leave(new Exit.HandedOver());
        }
    }

    /** Before something is done of which nothing is known yet. */
    void requireNotToStop(String step) {
        requireNotToStop(step, null);
    }

    /** Before it goes on to sleep, or where what is journaled cannot be read, which leaves no time. */
    void requireNotToStop(String step, @Nullable Duration left) {
        if (isToStop()) {
            Entry entry = stopAt(step, left);
            add(entry);
            stop = entry;
            throw stop(entry);
        }
    }

    /** Before it waits for a reply, which is preferred to stopping. Returns false if it was told something meanwhile. */
    boolean requireNotToStopAwaiting(String signal) {
        if (!isToStop()) {
            return true;
        }
        Entry entry = stopAt(signal, null);
        if (conclude(entry)) {
            throw stop(entry);
        }
        return false;
    }

    private Entry stopAt(String step, @Nullable Duration left) {
        String why = standing.cancelReason();
        Mark mark = why == null ? Mark.TIMED_OUT : Mark.DONE;
        Call call = mayHaveBegun() ? Call.STOP_AMID : Call.STOP;
        return new Entry(next, step, call, mark, null, why, left, null, null);
    }

    /** From here on it undoes what it did, and is told to stop no more. Where it is only told again, it was said before. */
    void compensating() {
        requireNotLeft();
        compensating = true;
        if (!isToldAgain()) {
            standing = asking(() -> store.compensate(driven(), added));
            added.clear();
        }
    }

    /** Whether it has to hear that it is to stop. */
    boolean isToStop() {
        return !stopped && !compensating && standing.isToStop();
    }

    /** If the run ends with its deadline and nothing was done about that, a retry goes on from there. */
    void forgetDeadline() {
        if (stop != null && stop.mark() == Mark.TIMED_OUT && isLast(stop)) {
            takeBack(stop);
        }
    }

    private RunStoppedException stop(Entry stop) {
        stopped = true;
        cancelled = stop.mark() == Mark.DONE;
        return new RunStoppedException(cancelled, stop.call() == Call.STOP_AMID, stop.detail());
    }

    /** Returns the state in which a run ends that has heard that it is to stop, or null if it has not. */
    @Nullable
    RunState stoppedAs() {
        if (!stopped) {
            return null;
        }
        return cancelled ? RunState.CANCELLED : RunState.FAILED;
    }

    /** Leaves the run until a time, or until it is told something. Returns only if it was told something meanwhile. */
    void suspend(@Nullable Duration pause) {
        Standing known = standing;
        if (asking(() -> store.suspend(driven(), added, pause, known))) {
            added.clear();
            throw leave(new Exit.Suspended(pause));
        }
        // It may have been told to stop.
        standing = asking(() -> store.checkpoint(driven(), added));
        added.clear();
    }

    /** Each is taken up once, which its number in the journal says. */
    Optional<RunInbox.Signal> nextSignal(String name) {
        if (standing.signals() == 0) {
            return Optional.empty();
        }
        return asking(() -> store.signals(driven.id(), name)).stream()
                .filter(each -> takenUp.add(Long.toString(each.number())))
                .findFirst();
    }

    /** The code has come to its end. From here on it is told to stop here, or not at all. */
    void ending() {
        requireNotLeft();
        requireNotStoppedAt(END);
        requireNotToStop(END);
        endsUnlessTold = true;
    }

    /** Returns false if it was told something meanwhile, which it has to hear before. */
    boolean end(RunExecutions.Ending ending) {
        if (endsUnlessTold && ending.state() == RunState.COMPLETED) {
            return store.endUnlessTold(driven(), added, ending, standing);
        }
        store.end(driven(), added, ending);
        return true;
    }

    /** Leaves it to whoever is next, from between two steps. Returns false if it was told something meanwhile. */
    boolean suspendForOthers() {
        return !mayHaveBegun() && store.suspend(driven(), added, Duration.ZERO, standing);
    }

    /** What was added is not to be written. */
    void forget() {
        next -= added.size();
        added.clear();
    }

    private <T> T asking(Supplier<T> store) {
        try {
            return store.get();
        } catch (FencedException fenced) {
            throw leave(new Exit.Fenced(fenced));
        } catch (RuntimeException failed) {
            throw leave(new Exit.GivenBack("The journal cannot be written.", failed));
        }
    }

    /** Returns what the caller throws. */
    Unwinding leave(Exit.Left exit) {
        unwinding = new Unwinding(exit);
        return unwinding;
    }

    /** Returns how the code was left, or null if it was not. */
    Exit.@Nullable Left exit() {
        return unwinding == null ? null : unwinding.exit();
    }

    void requireNotLeft() {
        if (unwinding != null) {
            throw unwinding;
        }
    }
}
