package io.sagaspring.test.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.KeyInUseException;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunState;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A simple model of a store, with one thread, a map of runs, and a clock that the test advances. */
final class RunModel {

    private final Duration lease;
    private final Duration retention;
    private final Map<RunId, ModelledRun> rows = new LinkedHashMap<>();
    private Duration now = Duration.ZERO;
    private long tokens;

    RunModel(Duration lease, Duration retention) {
        this.lease = lease;
        this.retention = retention;
    }

    void pass(Duration duration) {
        now = now.plus(duration);
    }

    private ModelledRun row(RunId id) {
        return Objects.requireNonNull(rows.get(id));
    }

    /** Starts a run. Returns its id, or the id of the existing run with its key. */
    RunId start(NewRun requested) {
        for (ModelledRun row : rows.values()) {
            if (row.requested.id().equals(requested.id()) || row.hasKeyOf(requested)) {
                return row.requested.id();
            }
        }
        ModelledRun row = new ModelledRun(requested);
        row.deadline = requested.deadline() == null ? null : now.plus(requested.deadline());
        row.due = now;
        rows.put(requested.id(), row);
        if (requested.here()) {
            execute(row);
            row.tokenOfStart = row.token;
            row.attempt = 1;
        }
        return requested.id();
    }

    /** Returns the token of a start. Only the start that created the run has one, and only while it is valid. */
    @Nullable
    FencingToken tokenOfStart(NewRun requested) {
        ModelledRun row = row(start(requested));
        boolean hasIt = row.isExecuting && row.requested.id().equals(requested.id());
        return hasIt && Objects.equals(row.token, row.tokenOfStart) ? row.token : null;
    }

    /**
     * Returns true if the row looks unbegun, although a pickup replaced its token. A repeated start may get that token.
     */
    boolean looksStarted(RunId id) {
        ModelledRun row = row(id);
        return row.isExecuting
                && row.attempt == 1
                && row.entriesAtPickUp == 0
                && !Objects.equals(row.token, row.tokenOfStart);
    }

    private void execute(ModelledRun row) {
        row.state = RunState.RUNNING;
        row.isExecuting = true;
        row.token = new FencingToken(++tokens);
        row.due = now.plus(lease);
        row.entriesAtPickUp = row.journal.size();
    }

    @Nullable
    Duration due(RunId id) {
        return row(id).due;
    }

    /** Returns the due runs. The order of runs with the same due time is undefined. */
    List<RunId> due(Set<String> names) {
        return rows.values().stream()
                .filter(row -> row.due != null && row.due.compareTo(now) <= 0 && names.contains(row.requested.run()))
                .sorted(Comparator.comparing(row -> Objects.requireNonNull(row.due)))
                .map(row -> row.requested.id())
                .toList();
    }

    /** Returns the kind of a run: its name, and whether it is new. Slots are divided between kinds. */
    String kind(RunId id) {
        ModelledRun row = Objects.requireNonNull(rows.get(id));
        return row.requested.run() + (row.token == null ? " new" : "");
    }

    /**
     * Returns true if the slots are divided fairly: a kind that still has due runs got at most one slot fewer than any
     * other kind.
     */
    boolean isDivided(List<RunId> due, List<RunId> pickedUp) {
        Map<String, Long> pickedUpOf =
                pickedUp.stream().collect(Collectors.groupingBy(this::kind, Collectors.counting()));
        Map<String, Long> dueOf = due.stream().collect(Collectors.groupingBy(this::kind, Collectors.counting()));
        long most = pickedUpOf.values().stream().mapToLong(each -> each).max().orElse(0);
        return dueOf.entrySet().stream()
                .allMatch(kind -> pickedUpOf.getOrDefault(kind.getKey(), 0L) >= Math.min(kind.getValue(), most - 1));
    }

    boolean isFree(RunId id, Set<String> names) {
        ModelledRun row = rows.get(id);
        return row != null
                && names.contains(row.requested.run())
                && row.due != null
                && (!row.isExecuting || row.due.compareTo(now) <= 0);
    }

    FencingToken take(RunId id, int attempts) {
        ModelledRun row = row(id);
        int attempt = row.journal.size() > row.entriesAtPickUp ? 1 : row.attempt + 1;
        row.isInterrupted |= row.state == RunState.RUNNING;
        execute(row);
        if (attempt > attempts) {
            row.rest(RunState.PARKED, null);
        } else {
            row.attempt = attempt;
        }
        return Objects.requireNonNull(row.token);
    }

    boolean wasInterrupted(RunId id) {
        return row(id).isInterrupted;
    }

    int retries(RunId id) {
        return row(id).retries;
    }

    ControlState controlState(RunId id) {
        ModelledRun row = row(id);
        return new ControlState(
                row.signalCount, row.cancelReason, row.deadline != null && row.deadline.compareTo(now) <= 0);
    }

    private ModelledRun owned(RunLease runLease) {
        if (!isExecuting(runLease)) {
            throw new FencedException(runLease);
        }
        return row(runLease.id());
    }

    boolean isExecuting(RunLease runLease) {
        ModelledRun row = rows.get(runLease.id());
        return row != null && row.isExecuting && runLease.token().equals(row.token);
    }

    private boolean hasReached(RunLease runLease, RunState state) {
        ModelledRun row = rows.get(runLease.id());
        return row != null && !row.isExecuting && runLease.token().equals(row.token) && row.state == state;
    }

    int entries(RunId id) {
        ModelledRun row = rows.get(id);
        return row == null ? 0 : row.journal.size();
    }

    ControlState checkpoint(RunLease runLease, List<JournalEntry> entries) {
        owned(runLease).add(entries);
        return controlState(runLease.id());
    }

    ControlState compensate(RunLease runLease, List<JournalEntry> entries) {
        owned(runLease).isCompensating = true;
        return checkpoint(runLease, entries);
    }

    /** Adds the entries that end a wait. A repeated call finds its entries in the journal, and returns true. */
    boolean conclude(RunLease runLease, List<JournalEntry> entries, int signals) {
        ModelledRun row = owned(runLease);
        JournalEntry last = entries.get(entries.size() - 1);
        boolean isThere = last.position() < row.journal.size();
        if (!isThere && row.signalCount != signals) {
            return false;
        }
        row.add(entries);
        return true;
    }

    boolean suspend(RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, int signals) {
        if (hasReached(runLease, RunState.WAITING)) {
            return true;
        }
        ModelledRun row = owned(runLease);
        if (row.signalCount != signals) {
            return false;
        }
        row.add(entries);
        Duration due = pause == null ? null : now.plus(pause);
        if (due == null || (row.deadline != null && row.deadline.compareTo(due) < 0)) {
            due = row.deadline;
        }
        row.rest(RunState.WAITING, due);
        row.isInterrupted = false;
        row.attempt = 0;
        return true;
    }

    boolean end(RunLease runLease, List<JournalEntry> entries, Ending ending) {
        if (hasReached(runLease, ending.state())) {
            return true;
        }
        ModelledRun row = owned(runLease);
        row.add(entries);
        row.rest(ending.state(), ending.again() == null ? null : now.plus(ending.again()));
        row.result = RunStoreContract.text(ending.result());
        row.error = ending.error();
        row.endedAt = ending.state().isEnd() ? now : null;
        // The journal of a blocked run does not fit the code, so this node has begun no step.
        row.isInterrupted =
                ending.state() == RunState.PENDING || (ending.state() == RunState.BLOCKED && row.isInterrupted);
        if (EnumSet.of(RunState.BLOCKED, RunState.IN_DOUBT, RunState.COMPENSATION_FAILED)
                .contains(ending.state())) {
            row.attempt = 0;
        }
        return true;
    }

    boolean release(RunLease runLease, Duration pause) {
        if (!isExecuting(runLease)) {
            return false;
        }
        ModelledRun row = row(runLease.id());
        row.rest(RunState.PENDING, now.plus(pause));
        row.isInterrupted = true;
        row.attempt = Math.max(0, row.attempt - 1);
        return true;
    }

    List<String> signals(RunId id, String name) {
        ModelledRun row = rows.get(id);
        return row != null
                ? row.signals.entrySet().stream()
                        .filter(each -> each.getKey().startsWith(name + "/"))
                        .map(Map.Entry::getValue)
                        .toList()
                : List.of();
    }

    Answer signal(RunId id, String name, String key, String value) {
        ModelledRun row = rows.get(id);
        if (row == null) {
            return Answer.UNKNOWN;
        }
        if (row.signals.containsKey(name + "/" + key)) {
            return Answer.REPEATED;
        }
        if (row.endedAt != null) {
            return Answer.TOO_LATE;
        }
        row.signals.put(name + "/" + key, value);
        row.signalCount++;
        if (row.state == RunState.WAITING) {
            row.due = now;
        }
        return Answer.ACCEPTED;
    }

    Answer reply(RunId id, RunReply reply) {
        ModelledRun row = rows.get(id);
        if (row == null) {
            return Answer.UNKNOWN;
        }
        if (reply.key() != null && row.keysOfReplies.contains(reply.scope() + "/" + reply.key())) {
            return Answer.REPEATED;
        }
        if (row.endedAt != null || row.isCompensating || row.endedWaits.contains(reply.signal())) {
            return Answer.TOO_LATE;
        }
        row.signals.put(
                reply.signal() + "/reply " + row.signals.size(),
                Objects.requireNonNull(RunStoreContract.text(reply.value())).substring("text:".length()));
        if (reply.key() != null) {
            row.keysOfReplies.add(reply.scope() + "/" + reply.key());
        }
        if (reply.last()) {
            row.endedWaits.add(reply.signal());
        }
        row.signalCount++;
        if (row.state == RunState.WAITING) {
            row.due = now;
        }
        return Answer.ACCEPTED;
    }

    Answer cancel(RunId id, String reason) {
        ModelledRun row = rows.get(id);
        if (row == null) {
            return Answer.UNKNOWN;
        }
        if (row.endedAt != null) {
            return Answer.TOO_LATE;
        }
        row.signalCount++;
        row.cancelReason = row.cancelReason == null ? reason : row.cancelReason;
        if (row.state == RunState.PARKED) {
            row.attempt = 0;
        }
        if (EnumSet.of(RunState.PARKED, RunState.BLOCKED, RunState.IN_DOUBT).contains(row.state)) {
            row.state = RunState.PENDING;
        }
        if (!row.isExecuting && row.state != RunState.COMPENSATION_FAILED) {
            row.due = now;
        }
        return Answer.ACCEPTED;
    }

    boolean retry(RunId id) {
        ModelledRun row = rows.get(id);
        if (row == null || !row.canBeRetried()) {
            return false;
        }
        for (ModelledRun other : rows.values()) {
            if (other != row && other.hasKeyOf(row.requested)) {
                throw new KeyInUseException(id, other.requested.id(), String.valueOf(row.requested.keyText()));
            }
        }
        if (row.state == RunState.FAILED || row.state == RunState.COMPENSATION_FAILED) {
            row.retries++;
        }
        row.rest(RunState.PENDING, now);
        row.attempt = 0;
        row.error = null;
        row.endedAt = null;
        if (controlState(id).late()) {
            row.deadline = null;
        }
        return true;
    }

    boolean resolve(RunId id, String step, JournalEntry.Mark mark) {
        ModelledRun row = rows.get(id);
        if (row == null || !step.equals(row.lastStep) || !row.isOpen()) {
            return false;
        }
        row.add(List.of(new JournalEntry(
                row.journal.size(), step, JournalEntry.Call.STEP, mark, null, null, null, null, null)));
        row.rest(RunState.PENDING, now);
        row.attempt = 0;
        return true;
    }

    boolean renew(RunLease runLease) {
        if (!isExecuting(runLease)) {
            return false;
        }
        row(runLease.id()).due = now.plus(lease);
        return true;
    }

    void purge() {
        rows.values()
                .removeIf(row ->
                        row.endedAt != null && row.endedAt.plus(retention).compareTo(now) <= 0);
    }

    List<RunId> list(String name, Set<RunState> states) {
        return rows.values().stream()
                .filter(row -> row.requested.run().equals(name))
                .filter(row -> states.isEmpty() || states.contains(row.shown()))
                .map(row -> row.requested.id())
                .sorted(Comparator.reverseOrder())
                .toList();
    }

    Set<RunId> ids() {
        return rows.keySet();
    }

    String seen(RunId id) {
        ModelledRun row = rows.get(id);
        return row == null ? "none" : row.seen();
    }
}
