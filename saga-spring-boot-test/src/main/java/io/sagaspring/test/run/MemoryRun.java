package io.sagaspring.test.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.Labels;
import io.sagaspring.run.Lanes.Lane;
import io.sagaspring.run.Permit;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunInbox.Note;
import io.sagaspring.run.RunInbox.Signal;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartTime;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A run in memory, with the fields of a database row. */
final class MemoryRun {

    /** The key of the reply that ends a wait. Each wait has at most one such reply. */
    static final String LAST_REPLY = "last";

    /** The start of this run, or the latest start that has replaced its input. */
    NewRun started;

    final Instant at;
    final List<JournalEntry> journal = new ArrayList<>();
    final Map<String, String> labels;
    final Map<String, Signal> signals = new HashMap<>();
    final Map<String, Note> notes = new HashMap<>();
    RunState state = RunState.PENDING;

    @Nullable
    StoredValue result;

    @Nullable
    String error;

    @Nullable
    String cancelReason;

    @Nullable
    FencingToken token;

    @Nullable
    FencingToken tokenOfStart;

    @Nullable
    String node;

    @Nullable
    Instant dueAt;

    @Nullable
    Instant endedAt;

    Instant since;

    @Nullable
    Instant pickedUpAt;

    boolean hasDeadline = true;
    boolean compensating;
    boolean interrupted;
    int attempts;
    int retries;
    int journaled;
    int signalCount;

    /** True while the run needs a permit of its queue. */
    boolean needsPermit;

    @Nullable
    Permit permit;

    long queueNumber;
    private @Nullable Instant deadline;

    MemoryRun(NewRun started, Instant at) {
        this.started = started;
        this.at = at;
        this.labels = new HashMap<>(started.labels());
        this.since = at;
        Instant begins = started.startTime() == null ? at : started.startTime().from(at);
        this.deadline = started.deadline() == null ? null : begins.plus(StorageLimits.pause(started.deadline()));
        this.needsPermit = started.place() != null;
        this.dueAt = needsPermit && started.startTime() == null ? null : begins;
    }

    /** Returns true if a start of the given run finds this run by its key. */
    boolean hasKeyOf(NewRun other) {
        return hasItsKey()
                && started.run().equals(other.run())
                && Objects.equals(started.key(), other.key())
                && Objects.equals(started.tenant(), other.tenant());
    }

    /** Returns true if the run has a key that is not free yet. */
    boolean hasItsKey() {
        StartKey key = started.key();
        return key != null
                && switch (key.kind()) {
                    case UNTIL_REMOVED -> true;
                    case WHILE_OPEN -> endedAt == null;
                    case UNTIL_BEGUN -> endedAt == null && token == null && cancelReason == null;
                };
    }

    /** Gives this run, which has not begun, the values of a later start. */
    void replace(NewRun by, Instant now) {
        StartTime time = by.startTime();
        if (time != null && time.atMost() != null) {
            Instant quiet = time.from(now);
            Instant latest = at.plus(time.atMost());
            dueAt = quiet.isBefore(latest) ? quiet : latest;
        }
        Instant begins = dueAt == null || dueAt.isBefore(now) ? now : dueAt;
        deadline = by.deadline() == null ? null : begins.plus(StorageLimits.pause(by.deadline()));
        labels.clear();
        labels.putAll(by.labels());
        started = new NewRun(
                started.id(),
                by.run(),
                by.key(),
                by.tenant(),
                by.input(),
                by.carried(),
                by.deadline(),
                by.startTime(),
                false,
                by.place() == null ? started.place() : by.place(),
                by.labels());
    }

    @Nullable
    Instant deadline() {
        return hasDeadline ? deadline : null;
    }

    boolean isExecutedBy(FencingToken other) {
        return node != null && other.equals(token);
    }

    /** Returns the lane. While the run needs a permit, this is the lane of its queue and not of its run class. */
    Lane lane() {
        return new Lane(needsPermit ? QueuePlace.LANE + requirePlace().queue() : started.run(), token == null);
    }

    QueuePlace requirePlace() {
        return Objects.requireNonNull(started.place());
    }

    boolean isOf(String queue) {
        return started.place() != null && started.place().queue().equals(queue);
    }

    /** Returns true if the run waits in its queue until it gets a permit. */
    boolean stands() {
        return needsPermit && dueAt == null && state == RunState.PENDING;
    }

    void freePermit() {
        permit = null;
        needsPermit = true;
    }

    boolean isDue(Instant now) {
        return dueAt != null && !dueAt.isAfter(now);
    }

    ControlState controlState(Instant now) {
        Instant until = deadline();
        return new ControlState(signalCount, cancelReason, until != null && !until.isAfter(now));
    }

    void rest(RunState next, @Nullable Instant due, Instant moment) {
        state = next;
        since = moment;
        node = null;
        dueAt = due;
    }

    void add(List<JournalEntry> entries, Instant now) {
        entries.stream().filter(each -> each.position() == journal.size()).forEach(each -> {
            journal.add(each.writtenAt(now));
            labels.putAll(Labels.setBy(List.of(each)));
        });
    }

    boolean hasSignal(String name, String key) {
        return signals.containsKey(named(name, key));
    }

    /** Adds a signal. Returns true if there was no signal with this name and key. */
    boolean addSignal(String key, Signal signal) {
        return signals.putIfAbsent(named(signal.name(), key), signal) == null;
    }

    boolean hasNote(String name, String key) {
        return notes.containsKey(named(name, key));
    }

    void note(String name, String key, Instant now) {
        notes.put(named(name, key), new Note(started.id(), name, key, now));
    }

    private static String named(String name, String key) {
        return name + '\0' + key;
    }

    boolean isOver(String wait) {
        return endedAt != null
                || compensating
                || hasSignal(wait, LAST_REPLY)
                || journal.stream()
                        .anyMatch(each -> each.step().equals(wait)
                                && (each.mark() == JournalEntry.Mark.TIMED_OUT || each.isStopAt(wait)));
    }

    /**
     * Returns the state to display. A compensating run is stored as pending, running or waiting, and displayed as
     * compensating.
     */
    RunState shownState() {
        return compensating
                        && Set.of(RunState.PENDING, RunState.RUNNING, RunState.WAITING)
                                .contains(state)
                ? RunState.COMPENSATING
                : state;
    }

    Instant shownSince() {
        return state == RunState.RUNNING ? Objects.requireNonNullElse(pickedUpAt, at) : since;
    }

    RunRow seen() {
        return new RunRow(
                started.id(),
                started.run(),
                started.keyText(),
                started.tenant(),
                shownState(),
                node,
                attempts,
                result,
                error,
                cancelReason,
                at,
                dueAt,
                endedAt,
                shownSince(),
                Map.copyOf(labels),
                List.of());
    }
}
