package io.sagaspring.saga;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Timeouts;
import io.sagaspring.saga.Script.Answer;
import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Stop;
import io.sagaspring.saga.Script.Where;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Performs a script with the engine. Everything happens sequentially, in the order of the script: the code of the
 * steps, the callbacks, and the next node after a node has died.
 */
final class Performance implements AutoCloseable, MortalNode.Watcher {

    static final Duration PAUSE = Duration.ofSeconds(5);
    static final Duration STEP_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration EXTENSION = Duration.ofMinutes(10);

    /** Far more turns than any script needs. */
    private static final int MOST_TURNS = 1000;

    private final Script script;
    private final Stage stage;
    private final SteppedTimer timer;
    private final ScriptedSaga saga;
    private final List<MortalNode> nodes = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private final Set<Event> occurred = new HashSet<>();
    private final Set<String> answered = new HashSet<>();
    private final Set<String> extended = new HashSet<>();
    private final MortalNode operatorNode;
    final Callers callers;
    MortalNode node;
    private @Nullable RunId id;

    /**
     * Prepares the performance of a script.
     *
     * @param otherThread the thread of the callers, which is outside the transaction of a step's code
     */
    Performance(Script script, Stage stage, SteppedTimer timer, ExecutorService otherThread) {
        this.script = script;
        this.stage = stage;
        this.timer = timer;
        this.saga = new ScriptedSaga(this, script, timer);
        this.operatorNode = node();
        this.callers = new Callers(operatorNode, this::id, otherThread, this::line);
        this.node = node();
    }

    private MortalNode node() {
        MortalNode made = new MortalNode(stage, new Timeouts(timer), saga, this);
        nodes.add(made);
        return made;
    }

    @Override
    public void close() {
        nodes.forEach(MortalNode::close);
    }

    void line(String line) {
        lines.add(line);
    }

    RunId id() {
        return Objects.requireNonNull(id);
    }

    List<String> lines() {
        try {
            perform();
        } catch (RuntimeException thrown) {
            line("threw %s at %s".formatted(thrown, thrown.getStackTrace()[1]));
        }
        return lines;
    }

    private void perform() {
        id = operatorNode.sagas.start(ScriptedSaga.class, 1).id();
        script.event(Where.START, "", 0).ifPresent(event -> applyStop(event.stop()));
        int retries = script.retries();
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            execute();
            RunRow row = stage.store().find(id()).orElseThrow();
            if (row.state().isEnd() || row.state() == RunState.COMPENSATION_FAILED) {
                boolean isContinued = rest(row.state(), retries);
                retries--;
                if (!isContinued) {
                    end();
                    return;
                }
            } else if (!continuesFrom(row.journal())) {
                line("stuck: %s %s".formatted(row.state(), row.journal()));
                return;
            }
        }
        line("no end");
    }

    private void execute() {
        int found;
        do {
            found = node.engine.sweep();
            if (node.fatalEvent != null) {
                line("crash");
                applyStop(node.fatalEvent.stop());
                if (stage.store().findRow(id()).orElseThrow().node() != null) {
                    stage.pass(id(), Stage.LEASE);
                }
                node = node();
                found = 1;
            }
        } while (found > 0);
    }

    private boolean rest(RunState state, int retries) {
        line("rests %s %s".formatted(state, errorOf(view())));
        if (retries == 0) {
            return false;
        }
        boolean isContinued = operatorNode.sagas.retry(id());
        line("retry -> %s".formatted(isContinued));
        return isContinued;
    }

    private ExecutionView view() {
        return operatorNode.sagas.find(id()).orElseThrow();
    }

    private static @Nullable String errorOf(ExecutionView view) {
        return view.error() == null ? null : view.error().type();
    }

    private void end() {
        for (Step step : script.steps()) {
            if (step.kind() != Kind.SYNC) {
                String answer = step.kind() == Kind.SIGNAL
                        ? Callers.text(operatorNode.sagas.signal(id(), step.name(), "afterwards", "none"))
                        : Callers.text(
                                operatorNode.sagas.callback(id(), step.name()).complete("afterwards", "none"));
                line("tell %s afterwards -> %s".formatted(step.name(), answer));
            }
        }
        executeFireAndForget();
        ExecutionView view = view();
        line("ends %s cancelled=%s".formatted(view.state(), view.cancelledAt() != null));
        view.steps().stream()
                .filter(step -> step.run() != null)
                .forEach(step -> line("beside %s".formatted(saga.fireAndForget.get(step.name()))));
        view.steps()
                .forEach(
                        step -> line("step %s %s empty=%s".formatted(step.name(), step.state(), step.emptyRollback())));
        line("context %s".formatted(new TreeMap<>(view.context())));
    }

    /** Executes the fire-and-forget steps until they end. They run independently, and do not affect anything else. */
    private void executeFireAndForget() {
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            List<RunId> open = view().steps().stream()
                    .flatMap(step -> Stream.ofNullable(step.run()))
                    .filter(run ->
                            !stage.store().findRow(run).orElseThrow().state().isEnd())
                    .toList();
            if (open.isEmpty()) {
                return;
            }
            open.forEach(each -> stage.pass(each, Stage.LEASE));
            execute();
        }
        line("a fire-and-forget step has no end");
    }

    // Events

    void applyStop(Stop stop) {
        if (stop == Stop.CANCEL) {
            line("cancel -> %s".formatted(callers.call(() -> operatorNode.sagas.cancel(id(), "the script says so"))));
        } else if (stop == Stop.LATE) {
            callers.call(() -> {
                stage.passDeadline(id());
                return true;
            });
            line("late");
        }
    }

    @Nullable
    Event trigger(Where where, String step, int attempt, Crash crash) {
        Event event = script.event(where, step, attempt).orElse(null);
        return event != null && event.crash() == crash && occurred.add(event) ? event : null;
    }

    /** Lets a suspended run continue. Returns false if nothing in the script explains why the run is suspended. */
    private boolean continuesFrom(List<JournalEntry> journal) {
        JournalEntry last = journal.get(journal.size() - 1);
        if (last.mark() != JournalEntry.Mark.WAITING) {
            return false;
        }
        List<String> parts = List.of(last.step().split(":", -1));
        if (last.call() == JournalEntry.Call.SLEEP) {
            boolean isCompensation = parts.contains("undo");
            int before = Integer.parseInt(parts.get(parts.size() - 2));
            Event event = isCompensation ? null : trigger(Where.PAUSE, parts.get(0), before - 1, Crash.NONE);
            if (event != null) {
                applyStop(event.stop());
            } else {
                stage.pass(id(), PAUSE);
            }
            return true;
        }
        return answer(script.step(parts.get(0)), attemptOf(parts));
    }

    private static int attemptOf(List<String> parts) {
        return parts.size() > 1 && Character.isDigit(parts.get(1).charAt(0)) ? Integer.parseInt(parts.get(1)) : 1;
    }

    private boolean answer(Step step, int attempt) {
        Event event = trigger(Where.WAIT, step.name(), attempt, Crash.NONE);
        if (event != null) {
            applyStop(event.stop());
            if (!event.answered()) {
                return true;
            }
        }
        String wait = Script.id(step.name(), attempt);
        if (!answered.add(wait)) {
            if (!extended.remove(wait)) {
                return false;
            }
            line("waits on");
            callers.reply(step, attempt, "key " + wait, true, wait + ".said");
            return true;
        }
        answer(step, attempt, wait, step.attempt(attempt).answer());
        return true;
    }

    private void answer(Step step, int attempt, String wait, Answer answer) {
        String key = "key " + wait;
        String payload = wait + ".said";
        switch (answer) {
            case SILENCE, WHILE_CONCLUDED -> stage.pass(id(), STEP_TIMEOUT);
            case FAIL -> callers.reply(step, attempt, key, false, payload);
            case TWICE -> {
                callers.reply(step, attempt, key, true, payload);
                callers.reply(step, attempt, key, true, payload);
                callers.reply(step, attempt, "other " + wait, true, payload);
            }
            case FORGED -> {
                callers.forge(step, attempt);
                callers.reply(step, attempt, key, true, payload);
            }
            case EXTENDED -> {
                CallbackResult result = callers.callback(step, attempt).extend(EXTENSION);
                line("extend %s -> %s".formatted(wait, Callers.text(result)));
                extended.add(wait);
            }
            case STALE -> {
                callers.reply(step, 1, "stale " + wait, true, payload);
                callers.reply(step, attempt, key, true, payload);
            }
            case AT_THE_LAST_MOMENT -> {
                stage.pass(id(), STEP_TIMEOUT);
                callers.reply(step, attempt, key, true, payload);
            }
            default -> callers.reply(step, attempt, key, true, payload);
        }
    }

    // The writes of a node

    @Override
    public void writes(String call, List<JournalEntry> entries) {
        boolean isSuspended = call.equals("suspend");
        if (!isSuspended && !call.equals("conclude")) {
            return;
        }
        for (JournalEntry entry : entries) {
            List<String> parts = List.of(entry.step().split(":", -1));
            for (Step step : script.steps()) {
                if (step.kind() != Kind.SYNC
                        && parts.get(0).equals(step.name())
                        && entry.step().equals(awaited(step, attemptOf(parts)))) {
                    writes(step, attemptOf(parts), entry);
                }
            }
        }
    }

    private void writes(Step step, int attempt, JournalEntry entry) {
        String wait = Script.id(step.name(), attempt);
        Answer answer = step.attempt(attempt).answer();
        boolean isDuringWrite = answer == Answer.WHILE_SUSPENDED
                ? entry.mark() == JournalEntry.Mark.WAITING || entry.call() != JournalEntry.Call.SIGNAL
                : answer == Answer.WHILE_CONCLUDED
                        && entry.mark() == JournalEntry.Mark.TIMED_OUT
                        && entry.call() == JournalEntry.Call.SIGNAL
                        && answered.contains(wait);
        if (isDuringWrite && !callers.isDecided(wait)) {
            answered.add(wait);
            callers.reply(step, attempt, "key " + wait, true, wait + ".said");
        }
    }

    private static String awaited(Step step, int attempt) {
        String id = Script.id(step.name(), attempt);
        return step.kind() == Kind.ASYNC ? id + ":callback" : id;
    }

    @Override
    public @Nullable Event diesAfter(List<JournalEntry> entries) {
        for (Event event : script.events()) {
            if (event.crash() == Crash.AFTER
                    && !occurred.contains(event)
                    && entries.stream().anyMatch(each -> isAbout(each, event))) {
                occurred.add(event);
                return event;
            }
        }
        return null;
    }

    private boolean isAbout(JournalEntry entry, Event event) {
        boolean isStop = entry.call() == JournalEntry.Call.STOP || entry.call() == JournalEntry.Call.STOP_AMID;
        return switch (event.where()) {
            case CODE -> !isStop && entry.step().equals(Script.id(event.step(), event.attempt()));
            case COMPENSATION -> entry.step().equals(Script.id(event.step() + ":undo", event.attempt()));
            case WAIT ->
                entry.call() == JournalEntry.Call.SIGNAL
                        && entry.mark() != JournalEntry.Mark.WAITING
                        && entry.step().equals(awaited(script.step(event.step()), event.attempt()));
            default -> false;
        };
    }
}
