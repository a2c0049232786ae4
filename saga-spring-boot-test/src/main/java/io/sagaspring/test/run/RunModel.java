package io.sagaspring.test.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.JournalEntry;
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

/** A store that is too simple to be wrong: one thread, a list, and a time that is set. Its tokens are 1, 2, 3. */
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

    /** The run, or the one that has its key. */
    RunId start(NewRun asked) {
        for (ModelledRun row : rows.values()) {
            boolean same = row.asked.id().equals(asked.id());
            boolean sameKey = asked.key() != null
                    && asked.key().equals(row.asked.key())
                    && asked.run().equals(row.asked.run());
            if (same || sameKey) {
                return row.asked.id();
            }
        }
        ModelledRun row = new ModelledRun(asked);
        row.deadline = asked.deadline() == null ? null : now.plus(asked.deadline());
        row.due = now;
        rows.put(asked.id(), row);
        if (asked.here()) {
            drive(row);
            row.tokenOfStart = row.token;
            row.attempt = 1;
        }
        return asked.id();
    }

    /** What the caller of a start is told: only who was first, and has it still. */
    @Nullable
    FencingToken tokenOfStart(NewRun asked) {
        ModelledRun row = row(start(asked));
        boolean hasIt = row.isExecuting && row.asked.id().equals(asked.id());
        return hasIt && Objects.equals(row.token, row.tokenOfStart) ? row.token : null;
    }

    /** A later taking that looks like the start: nobody says the start again when so much has happened. */
    boolean looksStarted(RunId id) {
        ModelledRun row = row(id);
        return row.isExecuting
                && row.attempt == 1
                && row.entriesWhenTaken == 0
                && !Objects.equals(row.token, row.tokenOfStart);
    }

    private void drive(ModelledRun row) {
        row.state = RunState.RUNNING;
        row.isExecuting = true;
        row.token = new FencingToken(++tokens);
        row.due = now.plus(lease);
        row.entriesWhenTaken = row.journal.size();
    }

    @Nullable
    Duration due(RunId id) {
        return row(id).due;
    }

    /** In no order where two became due at once. */
    List<RunId> due(Set<String> names) {
        return rows.values().stream()
                .filter(row -> row.due != null && row.due.compareTo(now) <= 0 && names.contains(row.asked.run()))
                .sorted(Comparator.comparing(row -> Objects.requireNonNull(row.due)))
                .map(row -> row.asked.id())
                .toList();
    }

    /** Between what is of different kinds, slots are divided. */
    String kind(RunId id) {
        ModelledRun row = Objects.requireNonNull(rows.get(id));
        return row.asked.run() + (row.token == null ? " new" : "");
    }

    /** A kind that has more is not behind another one by more than one. */
    boolean isDivided(List<RunId> due, List<RunId> taken) {
        Map<String, Long> takenOf = taken.stream().collect(Collectors.groupingBy(this::kind, Collectors.counting()));
        Map<String, Long> dueOf = due.stream().collect(Collectors.groupingBy(this::kind, Collectors.counting()));
        long most = takenOf.values().stream().mapToLong(each -> each).max().orElse(0);
        return dueOf.entrySet().stream()
                .allMatch(kind -> takenOf.getOrDefault(kind.getKey(), 0L) >= Math.min(kind.getValue(), most - 1));
    }

    boolean isFree(RunId id, Set<String> names) {
        ModelledRun row = rows.get(id);
        return row != null
                && names.contains(row.asked.run())
                && row.due != null
                && (!row.isExecuting || row.due.compareTo(now) <= 0);
    }

    FencingToken take(RunId id, int attempts) {
        ModelledRun row = row(id);
        int attempt = row.journal.size() > row.entriesWhenTaken ? 1 : row.attempt + 1;
        row.isAmid |= row.state == RunState.RUNNING;
        drive(row);
        if (attempt > attempts) {
            row.rest(RunState.PARKED, null);
        } else {
            row.attempt = attempt;
        }
        return Objects.requireNonNull(row.token);
    }

    boolean wasInterrupted(RunId id) {
        return row(id).isAmid;
    }

    int retries(RunId id) {
        return row(id).retries;
    }

    ControlState standing(RunId id) {
        ModelledRun row = row(id);
        return new ControlState(row.told, row.cancelReason, row.deadline != null && row.deadline.compareTo(now) <= 0);
    }

    private ModelledRun mine(RunLease runLease) {
        if (!isExecuting(runLease)) {
            throw new FencedException(runLease);
        }
        return row(runLease.id());
    }

    boolean isExecuting(RunLease runLease) {
        ModelledRun row = rows.get(runLease.id());
        return row != null && row.isExecuting && runLease.token().equals(row.token);
    }

    private boolean wasLeftIn(RunLease runLease, RunState state) {
        ModelledRun row = rows.get(runLease.id());
        return row != null && !row.isExecuting && runLease.token().equals(row.token) && row.state == state;
    }

    int entries(RunId id) {
        ModelledRun row = rows.get(id);
        return row == null ? 0 : row.journal.size();
    }

    ControlState checkpoint(RunLease runLease, List<JournalEntry> entries) {
        mine(runLease).add(entries);
        return standing(runLease.id());
    }

    ControlState compensate(RunLease runLease, List<JournalEntry> entries) {
        mine(runLease).isUndoing = true;
        return checkpoint(runLease, entries);
    }

    /** Said again, it is there. */
    boolean conclude(RunLease runLease, List<JournalEntry> entries, int signals) {
        ModelledRun row = mine(runLease);
        JournalEntry last = entries.get(entries.size() - 1);
        boolean isThere = last.position() < row.journal.size();
        if (!isThere && row.told != signals) {
            return false;
        }
        row.add(entries);
        return true;
    }

    boolean suspend(RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, int signals) {
        if (wasLeftIn(runLease, RunState.WAITING)) {
            return true;
        }
        ModelledRun row = mine(runLease);
        if (row.told != signals) {
            return false;
        }
        row.add(entries);
        Duration due = pause == null ? null : now.plus(pause);
        if (due == null || (row.deadline != null && row.deadline.compareTo(due) < 0)) {
            due = row.deadline;
        }
        row.rest(RunState.WAITING, due);
        row.isAmid = false;
        row.attempt = 0;
        return true;
    }

    boolean end(RunLease runLease, List<JournalEntry> entries, Ending ending) {
        if (wasLeftIn(runLease, ending.state())) {
            return true;
        }
        ModelledRun row = mine(runLease);
        row.add(entries);
        row.rest(ending.state(), ending.again() == null ? null : now.plus(ending.again()));
        row.result = RunStoreContract.text(ending.result());
        row.error = ending.error();
        row.over = ending.state().isEnd() ? now : null;
        // Whose journal does not fit the code has begun nothing.
        row.isAmid = ending.state() == RunState.PENDING || (ending.state() == RunState.BLOCKED && row.isAmid);
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
        row.isAmid = true;
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
        if (row.over != null) {
            return Answer.TOO_LATE;
        }
        row.signals.put(name + "/" + key, value);
        row.told++;
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
        if (row.over != null || row.isUndoing || row.waitsThatAreOver.contains(reply.signal())) {
            return Answer.TOO_LATE;
        }
        row.signals.put(
                reply.signal() + "/reply " + row.signals.size(),
                Objects.requireNonNull(RunStoreContract.text(reply.value())).substring("text:".length()));
        if (reply.key() != null) {
            row.keysOfReplies.add(reply.scope() + "/" + reply.key());
        }
        if (reply.last()) {
            row.waitsThatAreOver.add(reply.signal());
        }
        row.told++;
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
        if (row.over != null) {
            return Answer.TOO_LATE;
        }
        row.told++;
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
        if (row == null
                || !EnumSet.of(RunState.FAILED, RunState.PARKED, RunState.BLOCKED, RunState.COMPENSATION_FAILED)
                        .contains(row.state)
                || (row.state == RunState.FAILED && row.isUndoing)) {
            return false;
        }
        if (row.state == RunState.FAILED || row.state == RunState.COMPENSATION_FAILED) {
            row.retries++;
        }
        row.rest(RunState.PENDING, now);
        row.attempt = 0;
        row.error = null;
        row.over = null;
        if (standing(id).late()) {
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
                .removeIf(row -> row.over != null && row.over.plus(retention).compareTo(now) <= 0);
    }

    List<RunId> list(String name, Set<RunState> states) {
        return rows.values().stream()
                .filter(row -> row.asked.run().equals(name))
                .filter(row -> states.isEmpty() || states.contains(row.shown()))
                .map(row -> row.asked.id())
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
