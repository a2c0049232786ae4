package io.sagaspring.test.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.Driven;
import io.sagaspring.run.Entry;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A store that is too simple to be wrong: one thread, a list, and a time that is set. Its tokens are 1, 2, 3. */
final class RunModel {

    private final Duration lease;
    private final Duration retention;
    private final Map<RunId, Row> rows = new LinkedHashMap<>();
    private Duration now = Duration.ZERO;
    private long tokens;

    RunModel(Duration lease, Duration retention) {
        this.lease = lease;
        this.retention = retention;
    }

    private static final class Row {
        private final NewRun asked;
        private @Nullable Duration deadline;
        private RunState state = RunState.PENDING;
        private int attempt;
        private int entriesWhenTaken;
        private int told;
        private @Nullable String cancelReason;
        private @Nullable String result;
        private @Nullable String error;
        private @Nullable Duration due;
        private @Nullable Duration over;
        private @Nullable FencingToken token;
        private @Nullable FencingToken tokenOfStart;
        private boolean isDriven;
        private boolean isUndoing;
        private boolean isAmid;
        private int retries;
        private final List<String> journal = new ArrayList<>();
        private @Nullable String lastStep;
        private boolean lastIsResult;
        private final Map<String, String> signals = new LinkedHashMap<>();
        private final Set<String> waitsThatAreOver = new HashSet<>();
        private final Set<String> keysOfReplies = new HashSet<>();

        Row(NewRun asked) {
            this.asked = asked;
        }

        RunState shown() {
            boolean goesOn = EnumSet.of(RunState.PENDING, RunState.RUNNING, RunState.WAITING)
                    .contains(state);
            return isUndoing && goesOn ? RunState.COMPENSATING : state;
        }

        void rest(RunState next, @Nullable Duration dueNext) {
            state = next;
            isDriven = false;
            due = dueNext;
        }
    }

    void pass(Duration duration) {
        now = now.plus(duration);
    }

    private Row row(RunId id) {
        return Objects.requireNonNull(rows.get(id));
    }

    /** The run, or the one that has its key. */
    RunId start(NewRun asked) {
        for (Row row : rows.values()) {
            boolean same = row.asked.id().equals(asked.id());
            boolean sameKey = asked.key() != null
                    && asked.key().equals(row.asked.key())
                    && asked.run().equals(row.asked.run());
            if (same || sameKey) {
                return row.asked.id();
            }
        }
        Row row = new Row(asked);
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
        Row row = row(start(asked));
        boolean hasIt = row.isDriven && row.asked.id().equals(asked.id());
        return hasIt && Objects.equals(row.token, row.tokenOfStart) ? row.token : null;
    }

    /** A later taking that looks like the start: nobody says the start again when so much has happened. */
    boolean looksStarted(RunId id) {
        Row row = row(id);
        return row.isDriven
                && row.attempt == 1
                && row.entriesWhenTaken == 0
                && !Objects.equals(row.token, row.tokenOfStart);
    }

    private void drive(Row row) {
        row.state = RunState.RUNNING;
        row.isDriven = true;
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
        Row row = Objects.requireNonNull(rows.get(id));
        return row.asked.run() + (row.token == null ? " new" : "");
    }

    boolean isFree(RunId id, Set<String> names) {
        Row row = rows.get(id);
        return row != null
                && names.contains(row.asked.run())
                && row.due != null
                && (!row.isDriven || row.due.compareTo(now) <= 0);
    }

    FencingToken take(RunId id, int attempts) {
        Row row = row(id);
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

    Standing standing(RunId id) {
        Row row = row(id);
        return new Standing(row.told, row.cancelReason, row.deadline != null && row.deadline.compareTo(now) <= 0);
    }

    private Row mine(Driven driven) {
        if (!isDriven(driven)) {
            throw new FencedException(driven);
        }
        return row(driven.id());
    }

    boolean isDriven(Driven driven) {
        Row row = rows.get(driven.id());
        return row != null && row.isDriven && driven.token().equals(row.token);
    }

    private boolean wasLeftIn(Driven driven, RunState state) {
        Row row = rows.get(driven.id());
        return row != null && !row.isDriven && driven.token().equals(row.token) && row.state == state;
    }

    int entries(RunId id) {
        Row row = rows.get(id);
        return row == null ? 0 : row.journal.size();
    }

    private static void add(Row row, List<Entry> entries) {
        for (Entry entry : entries) {
            if (entry.position() == row.journal.size()) {
                row.journal.add(RunStoreContract.text(entry));
                row.lastStep = entry.step();
                row.lastIsResult = entry.call() == Entry.Call.STEP && entry.mark() == Entry.Mark.DONE;
                if (entry.mark() == Entry.Mark.TIMED_OUT
                        || entry.call() == Entry.Call.STOP
                        || entry.call() == Entry.Call.STOP_AMID) {
                    row.waitsThatAreOver.add(entry.step());
                }
            }
        }
    }

    Standing checkpoint(Driven driven, List<Entry> entries) {
        add(mine(driven), entries);
        return standing(driven.id());
    }

    Standing compensate(Driven driven, List<Entry> entries) {
        mine(driven).isUndoing = true;
        return checkpoint(driven, entries);
    }

    /** Said again, it is there. */
    boolean conclude(Driven driven, List<Entry> entries, int signals) {
        Row row = mine(driven);
        Entry last = entries.get(entries.size() - 1);
        boolean isThere = last.position() < row.journal.size();
        if (!isThere && row.told != signals) {
            return false;
        }
        add(row, entries);
        return true;
    }

    boolean suspend(Driven driven, List<Entry> entries, @Nullable Duration pause, int signals) {
        if (wasLeftIn(driven, RunState.WAITING)) {
            return true;
        }
        Row row = mine(driven);
        if (row.told != signals) {
            return false;
        }
        add(row, entries);
        Duration due = pause == null ? null : now.plus(pause);
        if (due == null || (row.deadline != null && row.deadline.compareTo(due) < 0)) {
            due = row.deadline;
        }
        row.rest(RunState.WAITING, due);
        row.isAmid = false;
        row.attempt = 0;
        return true;
    }

    boolean end(Driven driven, List<Entry> entries, Ending ending) {
        if (wasLeftIn(driven, ending.state())) {
            return true;
        }
        Row row = mine(driven);
        add(row, entries);
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

    boolean giveBack(Driven driven, Duration pause) {
        if (!isDriven(driven)) {
            return false;
        }
        Row row = row(driven.id());
        row.rest(RunState.PENDING, now.plus(pause));
        row.isAmid = true;
        row.attempt = Math.max(0, row.attempt - 1);
        return true;
    }

    List<String> signals(RunId id, String name) {
        Row row = rows.get(id);
        return row != null
                ? row.signals.entrySet().stream()
                        .filter(each -> each.getKey().startsWith(name + "/"))
                        .map(Map.Entry::getValue)
                        .toList()
                : List.of();
    }

    Answer signal(RunId id, String name, String key, String value) {
        Row row = rows.get(id);
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
        Row row = rows.get(id);
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
        Row row = rows.get(id);
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
        if (!row.isDriven && row.state != RunState.COMPENSATION_FAILED) {
            row.due = now;
        }
        return Answer.ACCEPTED;
    }

    boolean retry(RunId id) {
        Row row = rows.get(id);
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

    private static boolean isOpen(Row row) {
        return row.state == RunState.IN_DOUBT || (row.state == RunState.BLOCKED && row.lastIsResult);
    }

    boolean resolve(RunId id, String step, Entry.Mark mark) {
        Row row = rows.get(id);
        if (row == null || !step.equals(row.lastStep) || !isOpen(row)) {
            return false;
        }
        add(row, List.of(new Entry(row.journal.size(), step, Entry.Call.STEP, mark, null, null, null, null, null)));
        row.rest(RunState.PENDING, now);
        row.attempt = 0;
        return true;
    }

    boolean renew(Driven driven) {
        if (!isDriven(driven)) {
            return false;
        }
        row(driven.id()).due = now.plus(lease);
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
        Row row = rows.get(id);
        return row == null
                ? "none"
                : RunStoreContract.text(
                        row.asked.run(),
                        row.asked.key(),
                        row.shown(),
                        row.isDriven,
                        row.attempt,
                        row.result,
                        row.error,
                        row.cancelReason,
                        row.due != null,
                        row.over != null,
                        row.journal);
    }
}
