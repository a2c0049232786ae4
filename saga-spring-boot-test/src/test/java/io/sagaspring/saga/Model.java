package io.sagaspring.saga;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.Script.Attempt;
import io.sagaspring.saga.Script.Condition;
import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Early;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.Returns;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Undo;
import io.sagaspring.saga.Script.Where;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a script has to come to, as the promises say and without a journal: one pass over the steps, which a crash repeats
 * where it was. It says line by line what is called, answered and shown in the end.
 */
final class Model {

    /** What may have taken effect. */
    private record Effect(boolean known, @Nullable Object result) {}

    private static final class GivenUp extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private final Script script;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, StepState> states = new HashMap<>();
    private final Set<String> skipped = new HashSet<>();
    private final List<Step> fired = new ArrayList<>();
    private final Map<String, Effect> effects = new HashMap<>();
    private final Map<String, Boolean> empty = new HashMap<>();
    private final Map<String, Object> context = new TreeMap<>();
    private final Fate fate;
    private final Waits waits;
    private @Nullable String error;
    private int retries;

    // Where it is

    private int next;
    private int attempt = 1;
    private int undoneFrom = -1;
    private int undoAttempt = 1;

    /** How many attempts were made before an operator had it go on. */
    private int before;

    private Model(Script script) {
        this.script = script;
        this.fate = new Fate(script, lines, states);
        this.waits = new Waits(fate, lines, context);
        this.retries = script.retries();
    }

    static List<String> of(Script script) {
        Model model = new Model(script);
        model.run();
        return model.lines;
    }

    private void run() {
        script.event(Where.START, "", 0).ifPresent(event -> fate.happen(event.stop()));
        RunState end = ended();
        while (!rest(end)) {
            end = ended();
        }
        for (Step step : script.steps()) {
            if (step.kind() != Kind.SYNC) {
                line("tell %s afterwards -> too late".formatted(step.name()));
            }
        }
        line("ends %s cancelled=%s".formatted(end, fate.heard == Fate.Heard.CANCEL));
        fired.forEach(this::executed);
        for (Step step : script.steps()) {
            if (!skipped.contains(step.name())) {
                line("step %s %s empty=%s".formatted(step.name(), shown(step), empty.getOrDefault(step.name(), false)));
            }
        }
        line("context %s".formatted(context));
    }

    private StepState shown(Step step) {
        return states.getOrDefault(step.name(), StepState.CANCELLED);
    }

    private void line(String line) {
        lines.add(line);
    }

    /** Goes on from where it rested. */
    private RunState ended() {
        fate.over = false;
        try {
            if (undoneFrom < 0) {
                fate.hear(null);
                for (; next < script.steps().size(); next++) {
                    forward(script.steps().get(next));
                    attempt = 1;
                }
                fate.hear(null);
            }
        } catch (Fate.Stopped stopped) {
            undoneFrom = script.steps().size() - 1;
        } catch (GivenUp givenUp) {
            if (!isToBeCompensated()) {
                fate.boundary(Fate.Next.REST);
                return RunState.FAILED;
            }
            undoneFrom = script.steps().size() - 1;
        }
        boolean isCompensated = undoneFrom < 0 || undo();
        RunState end = !isCompensated ? RunState.COMPENSATION_FAILED : state(fate.compensating);
        fate.boundary(Fate.Next.REST);
        return end;
    }

    private RunState state(boolean isStopped) {
        if (fate.heard == Fate.Heard.CANCEL) {
            return RunState.CANCELLED;
        }
        return fate.heard == Fate.Heard.LATE || isStopped ? RunState.FAILED : RunState.COMPLETED;
    }

    /** Whether an operator leaves it there. */
    private boolean rest(RunState end) {
        String why = switch (end) {
            case FAILED -> fate.heard == Fate.Heard.LATE ? StepError.TIMEOUT : error;
            case COMPENSATION_FAILED -> IllegalStateException.class.getName();
            default -> null;
        };
        line("rests %s %s".formatted(end, why));
        if (retries == 0) {
            return true;
        }
        retries--;
        boolean goesOn = end == RunState.COMPENSATION_FAILED || (end == RunState.FAILED && !fate.compensating);
        line("retry -> %s".formatted(goesOn));
        if (goesOn && !fate.compensating) {
            fate.goOn();
            if (error != null) {
                before = attempt;
                attempt++;
            }
        } else if (goesOn) {
            before = undoAttempt;
            undoAttempt++;
        }
        return !goesOn;
    }

    // Forward

    private void forward(Step step) {
        boolean isFresh = attempt == 1;
        if (isFresh && step.condition() != Condition.NONE) {
            fate.boundary(Fate.Next.NOTE);
            fate.hear(step);
            if (step.condition() == Condition.FAILS) {
                skipped.add(step.name());
                return;
            }
        }
        if (step.fireAndForget()) {
            fate.boundary(Fate.Next.BODY);
            fate.hear(step);
            fired.add(step);
            return;
        }
        if (isFresh) {
            before = 0;
        }
        for (; ; attempt++) {
            ModelledFailure failure = step.kind() == Kind.SIGNAL ? waits.waited(step, attempt) : called(step);
            if (failure == null) {
                states.put(step.name(), StepState.COMPLETED);
                return;
            }
            states.put(step.name(), failure.state());
            // What is done about it is journaled, and before that it hears what it was told.
            fate.boundary(Fate.Next.NOTE);
            fate.hear(step);
            if (failure.retried() && attempt - before < step.tries().max()) {
                pause(step, attempt, step.tries().pause(), Where.PAUSE);
            } else {
                error = failure.type();
                throw new GivenUp();
            }
        }
    }

    /** Beside the execution, whatever becomes of that. */
    private void executed(Step step) {
        List<String> calls = new ArrayList<>();
        ModelledFailure failure;
        int number = 0;
        do {
            number++;
            calls.add(Script.id(step.name(), number));
            failure = ModelledFailure.of(step.attempt(number));
        } while (failure != null && failure.retried() && number < step.tries().max());
        states.put(step.name(), failure == null ? StepState.COMPLETED : failure.state());
        line("beside %s".formatted(calls));
    }

    private void pause(Step step, int number, boolean isLong, Where where) {
        if (!isLong) {
            return;
        }
        fate.boundary(Fate.Next.PAUSE);
        if (where == Where.PAUSE) {
            fate.hear(step);
            Event event = fate.take(Where.PAUSE, step, number, false);
            if (event != null) {
                fate.happen(event.stop());
            }
            fate.hear(step);
        }
    }

    private @Nullable ModelledFailure called(Step step) {
        Attempt script = step.attempt(attempt);
        boolean mayHaveBegun;
        while (true) {
            mayHaveBegun = fate.boundary(Fate.Next.BODY);
            if (fate.isToStop() && mayHaveBegun) {
                maybe(step);
                stoppedAmid(step);
            }
            fate.hear(step);
            line("call %s".formatted(Script.id(step.name(), attempt)));
            inBody(step, script);
            Event event = this.script.event(Where.BODY, step.name(), attempt).orElse(null);
            if (event != null && event.crash() == Crash.AMID && fate.happened.add(event)) {
                line("crash");
                fate.interrupted = true;
                fate.happen(event.stop());
                continue;
            }
            break;
        }
        fate.doomAfter(Where.BODY, step, attempt);
        ModelledFailure failure = ModelledFailure.of(script);
        if (failure == null) {
            Object result = result(step, attempt);
            effects.put(step.name(), new Effect(true, result));
            store(step, result);
            if (fate.doom != null && step.deduped()) {
                // It is durable with its effects, and not with what is next.
                fate.boundary(Fate.Next.BODY);
                fate.interrupted = true;
            }
            return step.kind() == Kind.ASYNC ? waits.waited(step, attempt) : null;
        }
        if (mayHaveBegun || failure.state() == StepState.TIMED_OUT) {
            maybe(step);
        }
        if (step.kind() == Kind.ASYNC) {
            String id = Script.id(step.name(), attempt);
            if (waits.isAnswered(id)) {
                wasBegun(step);
                return waits.heard(step, attempt);
            }
            // Nobody waits for this attempt any more.
            waits.close(id);
            fate.doomAfter(Where.WAIT, step, attempt);
        }
        return failure;
    }

    /** Somebody may have called back before it was stopped. */
    private void stoppedAmid(Step step) {
        String id = Script.id(step.name(), attempt);
        if (waits.isAnswered(id)) {
            wasBegun(step);
        }
        if (step.kind() == Kind.ASYNC) {
            waits.close(id);
            fate.doomAfter(Where.WAIT, step, attempt);
        }
    }

    /** What was rolled back took no effect. */
    private void maybe(Step step) {
        if (!step.deduped()) {
            wasBegun(step);
        }
    }

    private void wasBegun(Step step) {
        effects.putIfAbsent(step.name(), new Effect(false, null));
    }

    static @Nullable Object result(Step step, int attempt) {
        String value = step.name() + "." + attempt;
        return step.returns() == Returns.NOTHING
                ? null
                : step.returns() == Returns.SCALAR ? value : Map.of(step.part(), value);
    }

    /** The initiation of an asynchronous step is merged whatever is said of its result. */
    private void store(Step step, @Nullable Object result) {
        boolean isMerged = step.kind() == Kind.ASYNC || !step.apart();
        if (result instanceof Map<?, ?> parts && isMerged) {
            parts.forEach((key, value) -> context.put(String.valueOf(key), value));
        } else if (result != null) {
            context.put(step.kind() == Kind.ASYNC ? step.name() : step.key(), result);
        }
    }

    private void inBody(Step step, Attempt scripted) {
        if (attempt == 1) {
            int index = script.steps().indexOf(step);
            script.steps().stream()
                    .filter(each -> each.toldBy() == index)
                    .forEach(each -> waits.tell(each, 1, "early", true, each.name() + ".early"));
        }
        String id = Script.id(step.name(), attempt);
        if (scripted.early() != Early.NONE) {
            waits.tell(step, attempt, "own " + id, scripted.early() == Early.COMPLETE, id + ".own");
        }
        Event event = fate.take(Where.BODY, step, attempt, false);
        if (event != null) {
            fate.happen(event.stop());
        }
    }

    // Back

    private boolean isToBeCompensated() {
        return script.steps().stream().anyMatch(each -> each.undo() != null && effects.containsKey(each.name()));
    }

    /** Returns whether all of it is undone. */
    private boolean undo() {
        if (!fate.compensating) {
            before = 0;
        }
        fate.compensating = true;
        fate.unfinished = false;
        for (; undoneFrom >= 0; undoneFrom--) {
            Step step = script.steps().get(undoneFrom);
            Undo undo = step.undo();
            Effect effect = effects.get(step.name());
            if (undo != null && effect != null) {
                if (!compensated(step, undo, effect)) {
                    fate.unfinished = true;
                    states.put(step.name(), StepState.COMPENSATING);
                    return false;
                }
                states.put(step.name(), StepState.COMPENSATED);
                empty.put(step.name(), !effect.known());
            }
            undoAttempt = 1;
            before = 0;
        }
        return true;
    }

    private boolean compensated(Step step, Undo undo, Effect effect) {
        for (; ; undoAttempt++) {
            fate.boundary(Fate.Next.BODY);
            line("undo %s known=%s %s".formatted(Script.id(step.name(), undoAttempt), effect.known(), effect.result()));
            Event event = script.event(Where.UNDO, step.name(), undoAttempt).orElse(null);
            if (event != null && event.crash() != Crash.AFTER && fate.happened.add(event)) {
                if (event.crash() == Crash.AMID) {
                    line("crash");
                    fate.happen(event.stop());
                    undoAttempt--;
                    continue;
                }
                fate.happen(event.stop());
            }
            fate.doomAfter(Where.UNDO, step, undoAttempt);
            if (undoAttempt > undo.failures()) {
                return true;
            }
            fate.boundary(Fate.Next.NOTE);
            if (undoAttempt - before >= undo.tries().max()) {
                return false;
            }
            pause(step, undoAttempt, undo.tries().pause(), Where.UNDO);
        }
    }
}
