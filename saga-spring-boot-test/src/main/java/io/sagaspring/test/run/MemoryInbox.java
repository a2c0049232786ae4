package io.sagaspring.test.run;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.KeyInUseException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Note;
import io.sagaspring.run.RunInbox.Signal;
import io.sagaspring.run.RunReply;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/** Stores signals, replies and decisions for runs in memory, and applies them. */
final class MemoryInbox implements RunInbox {

    private final MemoryRuns runs;

    MemoryInbox(MemoryRuns runs) {
        this.runs = runs;
    }

    @Override
    public List<Signal> signals(RunId id, String name) {
        return runs.find(id).stream()
                .flatMap(run -> run.signals.values().stream())
                .filter(each -> each.name().equals(name))
                .sorted(Comparator.comparing(Signal::number))
                .toList();
    }

    @Override
    public Answer signal(RunId id, String name, String key, StoredValue value) {
        return send(
                id,
                run -> {
                    boolean isNew = run.addSignal(key, new Signal(runs.nextSignal(), name, value));
                    wake(run);
                    return isNew;
                },
                run -> run.hasSignal(name, key));
    }

    private void wake(MemoryRun run) {
        run.signalCount++;
        if (run.state == RunState.WAITING) {
            run.dueAt = runs.now();
        }
    }

    @Override
    public Answer reply(RunId id, RunReply reply) {
        Optional<MemoryRun> found = runs.find(id);
        if (found.isEmpty()) {
            return Answer.UNKNOWN;
        }
        MemoryRun run = found.get();
        if (reply.key() != null && run.hasNote(keyOf(reply), reply.key())) {
            return Answer.REPEATED;
        }
        if (run.isOver(reply.signal())) {
            return Answer.TOO_LATE;
        }
        String key = reply.last() ? MemoryRun.LAST_REPLY : UUID.randomUUID().toString();
        boolean unused = run.addSignal(key, new Signal(runs.nextSignal(), reply.signal(), reply.value()));
        wake(run);
        if (reply.key() != null) {
            run.note(keyOf(reply), reply.key(), runs.now());
        }
        return Answer.ACCEPTED;
    }

    private static String keyOf(RunReply reply) {
        return "key:" + reply.scope();
    }

    @Override
    public boolean note(RunId id, String name, String key) {
        Optional<MemoryRun> open = runs.find(id).filter(run -> run.endedAt == null);
        open.ifPresent(run -> run.note(name, key, runs.now()));
        return open.isPresent();
    }

    @Override
    public List<Note> notes(RunId id) {
        return runs.find(id).stream()
                .flatMap(run -> run.notes.values().stream())
                .sorted(Comparator.comparing(Note::at).reversed())
                .toList();
    }

    @Override
    public List<Note> notes(String name, String key) {
        return runs.all()
                .flatMap(run -> run.notes.values().stream())
                .filter(note -> note.name().startsWith(name) && note.key().equals(key))
                .sorted(Comparator.comparing(Note::at).reversed())
                .toList();
    }

    @Override
    public Answer cancel(RunId id, String reason) {
        return send(
                id,
                run -> {
                    run.signalCount++;
                    run.cancelReason = run.cancelReason == null ? StorageLimits.text(reason) : run.cancelReason;
                    if (run.state == RunState.PARKED) {
                        run.attempts = 0;
                    }
                    if (Set.of(RunState.PARKED, RunState.BLOCKED, RunState.IN_DOUBT)
                            .contains(run.state)) {
                        run.state = RunState.PENDING;
                        run.since = runs.now();
                    }
                    if (run.node == null && run.state != RunState.COMPENSATION_FAILED) {
                        run.dueAt = runs.now();
                    }
                    return true;
                },
                run -> false);
    }

    private Answer send(RunId id, Predicate<MemoryRun> change, Predicate<MemoryRun> isRepeated) {
        Optional<MemoryRun> found = runs.find(id);
        if (found.isEmpty()) {
            return Answer.UNKNOWN;
        }
        MemoryRun run = found.get();
        if (isRepeated.test(run)) {
            return Answer.REPEATED;
        }
        if (run.endedAt != null) {
            return Answer.TOO_LATE;
        }
        return change.test(run) ? Answer.ACCEPTED : Answer.REPEATED;
    }

    @Override
    public boolean retry(RunId id) {
        Optional<MemoryRun> found = runs.find(id).filter(MemoryInbox::canBeRetried);
        found.ifPresent(run -> {
            runs.withKeyOf(run.started).filter(each -> each != run).ifPresent(successor -> {
                throw new KeyInUseException(id, successor.started.id(), Objects.requireNonNull(run.started.keyText()));
            });
            run.retries += Set.of(RunState.FAILED, RunState.COMPENSATION_FAILED).contains(run.state) ? 1 : 0;
            run.rest(RunState.PENDING, runs.now(), runs.now());
            run.hasDeadline &= !run.controlState(runs.now()).late();
            run.attempts = 0;
            run.error = null;
            run.endedAt = null;
        });
        return found.isPresent();
    }

    private static boolean canBeRetried(MemoryRun run) {
        return switch (run.state) {
            case PARKED, BLOCKED, COMPENSATION_FAILED -> true;
            case FAILED -> !run.compensating;
            default -> false;
        };
    }

    @Override
    public boolean resolve(RunId id, JournalEntry entry) {
        Optional<MemoryRun> found = runs.find(id).filter(run -> isOpen(run, entry.step()));
        found.ifPresent(run -> {
            JournalEntry last = run.journal.get(run.journal.size() - 1);
            run.add(List.of(entry.behind(last)), runs.now());
            run.rest(RunState.PENDING, runs.now(), runs.now());
            run.attempts = 0;
        });
        return found.isPresent();
    }

    private static boolean isOpen(MemoryRun run, String step) {
        if (run.journal.isEmpty()) {
            return false;
        }
        JournalEntry last = run.journal.get(run.journal.size() - 1);
        boolean isResult = last.call() == JournalEntry.Call.STEP && last.mark() == JournalEntry.Mark.DONE;
        return last.step().equals(step)
                && (run.state == RunState.IN_DOUBT || (run.state == RunState.BLOCKED && isResult));
    }

    @Override
    public boolean giveUp(RunId id, String reason, boolean orphaned) {
        Optional<MemoryRun> found = runs.find(id)
                .filter(run -> run.endedAt == null)
                .filter(run ->
                        run.state.waitsForAPerson() || (orphaned && (run.node == null || run.isDue(runs.now()))));
        found.ifPresent(run -> {
            String before = run.error == null ? "" : "\n" + run.error;
            run.error = StorageLimits.text("%s while it was %s. Nothing was compensated.%s"
                    .formatted(reason, run.shownState().text(), before));
            run.cancelReason = run.cancelReason == null ? StorageLimits.text(reason) : run.cancelReason;
            run.rest(RunState.CANCELLED, null, runs.now());
            run.token = runs.nextToken();
            run.permit = null;
            run.endedAt = runs.now();
        });
        return found.isPresent();
    }
}
