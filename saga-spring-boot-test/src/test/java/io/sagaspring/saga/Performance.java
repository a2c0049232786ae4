package io.sagaspring.saga;

import static io.sagaspring.saga.Retry.retry;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.SignalResult;
import io.sagaspring.saga.Script.Answer;
import io.sagaspring.saga.Script.Attempt;
import io.sagaspring.saga.Script.Condition;
import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Early;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Stop;
import io.sagaspring.saga.Script.Tries;
import io.sagaspring.saga.Script.Undo;
import io.sagaspring.saga.Script.Where;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A script as the engine performs it. All of it happens on one thread, in the order of the script: the sagas' bodies, who
 * calls back, and the next node after one has died.
 */
final class Performance implements AutoCloseable, MortalNode.Watcher {

    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration EXTENSION = Duration.ofMinutes(10);

    /** Far more than any script needs. */
    private static final int MOST_TURNS = 1000;

    private final Script script;
    private final Stage stage;
    private final SteppedTimer timer;
    private final ExecutorService elsewhere;
    private final ScriptedSaga saga;
    private final List<MortalNode> nodes = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private final Set<Event> happened = new HashSet<>();
    private final Map<String, String> tokens = new HashMap<>();
    private final Map<String, List<String>> fireAndForget = new HashMap<>();
    private final Set<String> answered = new HashSet<>();
    private final Set<String> extended = new HashSet<>();

    /** Waits of which it is decided what ends them, whoever said it. */
    private final Set<String> decided = new HashSet<>();

    private final MortalNode desk;
    private MortalNode node;
    private @Nullable RunId id;

    /**
     * A performance that has not begun.
     *
     * @param elsewhere where others say what they have to say: not in the transaction of a body
     */
    Performance(Script script, Stage stage, SteppedTimer timer, ExecutorService elsewhere) {
        this.script = script;
        this.stage = stage;
        this.timer = timer;
        this.elsewhere = elsewhere;
        this.saga = new ScriptedSaga();
        this.desk = node();
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

    private void line(String line) {
        lines.add(line);
    }

    private RunId id() {
        return Objects.requireNonNull(id);
    }

    private <T> T elsewhere(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, elsewhere).join();
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
        id = desk.sagas.start(ScriptedSaga.class, 1).id();
        script.event(Where.START, "", 0).ifPresent(event -> happen(event.stop()));
        int retries = script.retries();
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            drive();
            RunRow row = stage.store().find(id()).orElseThrow();
            if (row.state().isEnd() || row.state() == RunState.COMPENSATION_FAILED) {
                boolean goesOn = rest(row.state(), retries);
                retries--;
                if (!goesOn) {
                    end();
                    return;
                }
            } else if (!goesOnFrom(row.journal())) {
                line("stuck: %s %s".formatted(row.state(), row.journal()));
                return;
            }
        }
        line("no end");
    }

    private void drive() {
        int found;
        do {
            found = node.engine.sweep();
            if (node.doom != null) {
                line("crash");
                happen(node.doom.stop());
                if (stage.store().look(id()).orElseThrow().node() != null) {
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
        boolean goesOn = desk.sagas.retry(id());
        line("retry -> %s".formatted(goesOn));
        return goesOn;
    }

    private ExecutionView view() {
        return desk.sagas.find(id()).orElseThrow();
    }

    private static @Nullable String errorOf(ExecutionView view) {
        return view.error() == null ? null : view.error().type();
    }

    private void end() {
        for (Step step : script.steps()) {
            if (step.kind() != Kind.SYNC) {
                String answer = step.kind() == Kind.SIGNAL
                        ? text(desk.sagas.signal(id(), step.name(), "afterwards", "none"))
                        : text(desk.sagas.callback(id(), step.name()).complete("afterwards", "none"));
                line("tell %s afterwards -> %s".formatted(step.name(), answer));
            }
        }
        driveForgotten();
        ExecutionView view = view();
        line("ends %s cancelled=%s".formatted(view.state(), view.cancelledAt() != null));
        view.steps().stream()
                .filter(step -> step.run() != null)
                .forEach(step -> line("beside %s".formatted(fireAndForget.get(step.name()))));
        view.steps()
                .forEach(
                        step -> line("step %s %s empty=%s".formatted(step.name(), step.state(), step.emptyRollback())));
        line("context %s".formatted(new TreeMap<>(view.context())));
    }

    /** What is fired and forgotten goes on by itself, and interferes with nothing. */
    private void driveForgotten() {
        for (int turn = 0; turn < MOST_TURNS; turn++) {
            List<RunId> open = view().steps().stream()
                    .flatMap(step -> Stream.ofNullable(step.run()))
                    .filter(run ->
                            !stage.store().look(run).orElseThrow().state().isEnd())
                    .toList();
            if (open.isEmpty()) {
                return;
            }
            open.forEach(each -> stage.pass(each, Stage.LEASE));
            drive();
        }
        line("what was fired has no end");
    }

    // What happens to it

    private void happen(Stop stop) {
        if (stop == Stop.CANCEL) {
            line("cancel -> %s".formatted(elsewhere(() -> desk.sagas.cancel(id(), "the script says so"))));
        } else if (stop == Stop.LATE) {
            elsewhere(() -> {
                stage.passDeadline(id());
                return true;
            });
            line("late");
        }
    }

    private @Nullable Event take(Where where, String step, int attempt, Crash crash) {
        Event event = script.event(where, step, attempt).orElse(null);
        return event != null && event.crash() == crash && happened.add(event) ? event : null;
    }

    /** Nobody drives it. Returns false if nobody knows why. */
    private boolean goesOnFrom(List<JournalEntry> journal) {
        JournalEntry last = journal.get(journal.size() - 1);
        if (last.mark() != JournalEntry.Mark.WAITING) {
            return false;
        }
        List<String> parts = List.of(last.step().split(":", -1));
        if (last.call() == JournalEntry.Call.SLEEP) {
            boolean isCompensation = parts.contains("undo");
            int before = Integer.parseInt(parts.get(parts.size() - 2));
            Event event = isCompensation ? null : take(Where.PAUSE, parts.get(0), before - 1, Crash.NONE);
            if (event != null) {
                happen(event.stop());
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
        Event event = take(Where.WAIT, step.name(), attempt, Crash.NONE);
        if (event != null) {
            happen(event.stop());
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
            tell(step, attempt, "key " + wait, true, wait + ".said");
            return true;
        }
        answer(step, attempt, wait, step.attempt(attempt).answer());
        return true;
    }

    private void answer(Step step, int attempt, String wait, Answer answer) {
        String key = "key " + wait;
        String payload = wait + ".said";
        switch (answer) {
            case SILENCE, WHILE_CONCLUDED -> stage.pass(id(), PATIENCE);
            case FAIL -> tell(step, attempt, key, false, payload);
            case TWICE -> {
                tell(step, attempt, key, true, payload);
                tell(step, attempt, key, true, payload);
                tell(step, attempt, "other " + wait, true, payload);
            }
            case FORGED -> {
                forge(step, attempt);
                tell(step, attempt, key, true, payload);
            }
            case EXTENDED -> {
                CallbackResult said = callback(step, attempt).extend(EXTENSION);
                line("extend %s -> %s".formatted(wait, text(said)));
                extended.add(wait);
            }
            case STALE -> {
                tell(step, 1, "stale " + wait, true, payload);
                tell(step, attempt, key, true, payload);
            }
            case AT_THE_LAST_MOMENT -> {
                stage.pass(id(), PATIENCE);
                tell(step, attempt, key, true, payload);
            }
            default -> tell(step, attempt, key, true, payload);
        }
    }

    private void forge(Step step, int attempt) {
        List<String> forged = new ArrayList<>(List.of("nobody's", ""));
        tokens.forEach((of, token) -> {
            if (!of.startsWith(step.name() + ".")) {
                forged.add(token);
            }
        });
        boolean isRefused = forged.stream().allMatch(token -> {
            try {
                StepCallback unused = desk.sagas.callback(id().toString(), step.name(), token);
                return false;
            } catch (NoSuchCallbackException refused) {
                return true;
            }
        });
        line(isRefused ? "forged" : "forged and taken for " + attempt);
    }

    private void tell(Step step, int attempt, String key, boolean completes, String payload) {
        String answer = elsewhere(() -> {
            if (step.kind() == Kind.SIGNAL) {
                return text(desk.sagas.signal(id(), step.name(), key, payload));
            }
            StepCallback callback = callback(step, attempt);
            return text(
                    completes ? callback.complete(key, payload) : callback.fail(key, new StepError("said", payload)));
        });
        line("tell %s %s -> %s".formatted(Script.id(step.name(), attempt), key, answer));
        if (answer.equals("applied")) {
            decided.add(Script.id(step.name(), attempt));
        }
    }

    /** Who is told before the step has begun has no token yet. */
    private StepCallback callback(Step step, int attempt) {
        String token = tokens.get(step.name() + "." + attempt);
        return token == null
                ? desk.sagas.callback(id(), step.name())
                : desk.sagas.callback(id().toString(), step.name(), token);
    }

    private static String text(SignalResult answer) {
        return switch (answer) {
            case ACCEPTED -> "applied";
            case REPEATED -> "repeated";
            case TOO_LATE -> "too late";
        };
    }

    private static String text(CallbackResult answer) {
        return answer.applied()
                ? "applied"
                : "A callback with this key was accepted before.".equals(answer.because()) ? "repeated" : "too late";
    }

    // What a node writes

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
        boolean isInBetween = answer == Answer.WHILE_SUSPENDED
                ? entry.mark() == JournalEntry.Mark.WAITING || entry.call() != JournalEntry.Call.SIGNAL
                : answer == Answer.WHILE_CONCLUDED
                        && entry.mark() == JournalEntry.Mark.TIMED_OUT
                        && entry.call() == JournalEntry.Call.SIGNAL
                        && answered.contains(wait);
        if (isInBetween && !decided.contains(wait)) {
            answered.add(wait);
            tell(step, attempt, "key " + wait, true, wait + ".said");
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
                    && !happened.contains(event)
                    && entries.stream().anyMatch(each -> isAbout(each, event))) {
                happened.add(event);
                return event;
            }
        }
        return null;
    }

    private boolean isAbout(JournalEntry entry, Event event) {
        boolean isStop = entry.call() == JournalEntry.Call.STOP || entry.call() == JournalEntry.Call.STOP_AMID;
        return switch (event.where()) {
            case BODY -> !isStop && entry.step().equals(Script.id(event.step(), event.attempt()));
            case UNDO -> entry.step().equals(Script.id(event.step() + ":undo", event.attempt()));
            case WAIT ->
                entry.call() == JournalEntry.Call.SIGNAL
                        && entry.mark() != JournalEntry.Mark.WAITING
                        && entry.step().equals(awaited(script.step(event.step()), event.attempt()));
            default -> false;
        };
    }

    /** Does what the script says. */
    final class ScriptedSaga implements Saga<Integer> {

        @Override
        public String name() {
            return "script" + script.seed();
        }

        @Override
        public void define(SagaDefinition<Integer> definition) {
            if (script.deadline()) {
                definition.timeout(Stage.DEADLINE);
            }
            for (Step step : script.steps()) {
                if (step.kind() == Kind.SIGNAL) {
                    define(step, definition.waitForSignal(step.name()));
                } else {
                    define(step, definition.step(step.name(), context -> body(step, context)));
                }
            }
        }

        private void define(Step step, WaitSpec<Integer> spec) {
            if (step.timed()) {
                spec.timeout(PATIENCE);
            }
            if (step.apart()) {
                spec.storeResultAs(step.key());
            }
            if (step.condition() != Condition.NONE) {
                spec.runIf(context -> step.condition() == Condition.HOLDS);
            }
        }

        private void define(Step step, StepSpec<Integer> spec) {
            spec.retry(policy(step.tries()));
            Undo undo = step.undo();
            if (undo != null) {
                spec.compensate(context -> undo(step, undo, context), policy(undo.tries()));
            }
            if (step.timed()) {
                spec.timeout(PATIENCE);
            }
            if (step.apart()) {
                spec.storeResultAs(step.key());
            }
            if (step.condition() != Condition.NONE) {
                spec.runIf(context -> step.condition() == Condition.HOLDS);
            }
            if (step.kind() == Kind.ASYNC) {
                spec.async();
            }
            if (step.deduped()) {
                spec.dedupe();
            }
            if (step.fireAndForget()) {
                spec.fireAndForget();
            }
        }

        private static Retry policy(Tries tries) {
            return retry().max(tries.max())
                    .delay(tries.pause() ? PAUSE : Duration.ZERO)
                    .noRetryOn(IllegalArgumentException.class);
        }

        private @Nullable Object body(Step step, StepContext<Integer> context) throws Exception {
            requireAlive();
            int attempt = context.attempt();
            String call = Script.id(step.name(), attempt);
            if (step.fireAndForget()) {
                fireAndForget
                        .computeIfAbsent(step.name(), name -> new ArrayList<>())
                        .add(call);
            } else {
                line("call %s".formatted(call));
            }
            requireKey(context, step.name());
            if (attempt == 1) {
                int index = script.steps().indexOf(step);
                script.steps().stream()
                        .filter(each -> each.toldBy() == index)
                        .forEach(each -> tell(each, 1, "early", true, each.name() + ".early"));
            }
            Attempt scripted = step.attempt(attempt);
            if (step.kind() == Kind.ASYNC) {
                String before = tokens.put(step.name() + "." + attempt, context.callbackToken());
                if (before != null && !before.equals(context.callbackToken())) {
                    line("another token");
                }
            }
            if (scripted.early() != Early.NONE) {
                tell(step, attempt, "own " + call, scripted.early() == Early.COMPLETE, call + ".own");
            }
            Event event = take(Where.BODY, step.name(), attempt, Crash.NONE);
            if (event != null) {
                happen(event.stop());
            }
            dieIfSo(take(Where.BODY, step.name(), attempt, Crash.AMID));
            return switch (scripted.body()) {
                case RETURN -> Model.result(step, attempt);
                case THROW -> throw new IllegalStateException("as the script says");
                case REFUSE -> throw new IllegalArgumentException("as the script says");
                case TIME_OUT -> {
                    timer.ring();
                    if (!Thread.currentThread().isInterrupted()) {
                        line("not interrupted");
                    }
                    throw new InterruptedException("as the script says");
                }
                case TIME_OUT_AND_RETURN -> {
                    timer.ring();
                    yield Model.result(step, attempt);
                }
            };
        }

        private void undo(Step step, Undo undo, StepContext<Integer> context) {
            requireAlive();
            int attempt = context.attempt();
            requireKey(context, step.name() + ":undo");
            line("undo %s known=%s %s"
                    .formatted(
                            Script.id(step.name(), attempt),
                            context.tookEffect(),
                            context.result(Object.class).orElse(null)));
            Event event = take(Where.UNDO, step.name(), attempt, Crash.NONE);
            if (event != null) {
                happen(event.stop());
            }
            dieIfSo(take(Where.UNDO, step.name(), attempt, Crash.AMID));
            if (attempt <= undo.failures()) {
                throw new IllegalStateException("as the script says");
            }
        }

        /** The same for each attempt. */
        private void requireKey(StepContext<Integer> context, String of) {
            String key = "%s:%s".formatted(id(), of);
            if (!context.effectKey().equals(key)) {
                line("effect key %s".formatted(context.effectKey()));
            }
        }

        private void requireAlive() {
            if (node.doom != null) {
                throw new InternalError("The node is dead.");
            }
        }

        private void dieIfSo(@Nullable Event event) {
            if (event != null) {
                node.doom = event;
                throw new InternalError("The node dies.");
            }
        }
    }
}
