package io.sagaspring.saga;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.Script.Attempt;
import io.sagaspring.saga.Script.Condition;
import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Early;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.Returns;
import io.sagaspring.saga.Script.ScriptedCompensation;
import io.sagaspring.saga.Script.Step;
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
 * Predicts the result of a script from the documented guarantees and without a journal. The model goes through the
 * steps once. If a node crashes, the model repeats the part in which the crash occurred. Its result is a list of lines:
 * the calls, the replies, and the view at the end.
 */
final class Model {

    /** An effect that a step has had, or may have had. */
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

    // The current position

    private int next;
    private int attempt = 1;
    private int compensatedFrom = -1;
    private int compensationAttempt = 1;

    /** The number of attempts before the latest retry by an operator. */
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
        script.event(Where.START, "", 0).ifPresent(event -> fate.applyStop(event.stop()));
        RunState end = proceed();
        while (!rest(end)) {
            end = proceed();
        }
        for (Step step : script.steps()) {
            if (step.kind() != Kind.SYNC) {
                line("tell %s afterwards -> too late".formatted(step.name()));
            }
        }
        line("ends %s cancelled=%s".formatted(end, fate.seenStop == Fate.SeenStop.CANCEL));
        fired.forEach(this::executeFireAndForget);
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

    /** Continues from the current position until the execution ends or waits for an operator. */
    private RunState proceed() {
        fate.ended = false;
        try {
            if (compensatedFrom < 0) {
                fate.stopIfRequested(null);
                for (; next < script.steps().size(); next++) {
                    forward(script.steps().get(next));
                    attempt = 1;
                }
                fate.stopIfRequested(null);
            }
        } catch (Fate.Stopped stopped) {
            compensatedFrom = script.steps().size() - 1;
        } catch (GivenUp givenUp) {
            if (!isToBeCompensated()) {
                fate.boundary(Fate.Next.REST);
                return RunState.FAILED;
            }
            compensatedFrom = script.steps().size() - 1;
        }
        boolean isCompensated = compensatedFrom < 0 || compensate();
        RunState end = !isCompensated ? RunState.COMPENSATION_FAILED : state(fate.compensating);
        fate.boundary(Fate.Next.REST);
        return end;
    }

    private RunState state(boolean isStopped) {
        if (fate.seenStop == Fate.SeenStop.CANCEL) {
            return RunState.CANCELLED;
        }
        return fate.seenStop == Fate.SeenStop.LATE || isStopped ? RunState.FAILED : RunState.COMPLETED;
    }

    /** Returns true if the operator does not retry the execution, or if the retry has no effect. */
    private boolean rest(RunState end) {
        String why = switch (end) {
            case FAILED -> fate.seenStop == Fate.SeenStop.LATE ? StepError.TIMEOUT : error;
            case COMPENSATION_FAILED -> IllegalStateException.class.getName();
            default -> null;
        };
        line("rests %s %s".formatted(end, why));
        if (retries == 0) {
            return true;
        }
        retries--;
        boolean isContinued = end == RunState.COMPENSATION_FAILED || (end == RunState.FAILED && !fate.compensating);
        line("retry -> %s".formatted(isContinued));
        if (isContinued && !fate.compensating) {
            fate.resume();
            if (error != null) {
                before = attempt;
                attempt++;
            }
        } else if (isContinued) {
            before = compensationAttempt;
            compensationAttempt++;
        }
        return !isContinued;
    }

    // Steps

    private void forward(Step step) {
        boolean isFresh = attempt == 1;
        if (isFresh && step.condition() != Condition.NONE) {
            fate.boundary(Fate.Next.NOTE);
            fate.stopIfRequested(step);
            if (step.condition() == Condition.FAILS) {
                skipped.add(step.name());
                return;
            }
        }
        if (step.fireAndForget()) {
            fate.boundary(Fate.Next.CODE);
            fate.stopIfRequested(step);
            fired.add(step);
            return;
        }
        if (isFresh) {
            before = 0;
        }
        for (; ; attempt++) {
            ModelledFailure failure = step.kind() == Kind.SIGNAL ? waits.awaitReply(step, attempt) : callStep(step);
            if (failure == null) {
                states.put(step.name(), StepState.COMPLETED);
                return;
            }
            states.put(step.name(), failure.state());
            // A requested stop is noticed before the decision about the failure is journaled.
            fate.boundary(Fate.Next.NOTE);
            fate.stopIfRequested(step);
            if (failure.retried() && attempt - before < step.tries().max()) {
                pause(step, attempt, step.tries().pause(), Where.PAUSE);
            } else {
                error = failure.type();
                throw new GivenUp();
            }
        }
    }

    /** Executes a fire-and-forget step. It runs at the same time as the execution, and does not depend on the execution's end. */
    private void executeFireAndForget(Step step) {
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
            fate.stopIfRequested(step);
            Event event = fate.trigger(Where.PAUSE, step, number, false);
            if (event != null) {
                fate.applyStop(event.stop());
            }
            fate.stopIfRequested(step);
        }
    }

    private @Nullable ModelledFailure callStep(Step step) {
        Attempt script = step.attempt(attempt);
        boolean mayHaveBegun;
        while (true) {
            mayHaveBegun = fate.boundary(Fate.Next.CODE);
            if (fate.isStopRequested() && mayHaveBegun) {
                recordPossibleEffect(step);
                stoppedMidStep(step);
            }
            fate.stopIfRequested(step);
            line("call %s".formatted(Script.id(step.name(), attempt)));
            duringCode(step, script);
            Event event = this.script.event(Where.CODE, step.name(), attempt).orElse(null);
            if (event != null && event.crash() == Crash.MID_STEP && fate.occurred.add(event)) {
                line("crash");
                fate.interrupted = true;
                fate.applyStop(event.stop());
                continue;
            }
            break;
        }
        fate.crashAfter(Where.CODE, step, attempt);
        ModelledFailure failure = ModelledFailure.of(script);
        if (failure == null) {
            Object result = result(step, attempt);
            effects.put(step.name(), new Effect(true, result));
            store(step, result);
            if (fate.crashBeforeTheNextEntry(step)) {
                fate.interrupted = true;
            }
            return step.kind() == Kind.ASYNC ? waits.awaitReply(step, attempt) : null;
        }
        if (mayHaveBegun || failure.state() == StepState.TIMED_OUT) {
            recordPossibleEffect(step);
        }
        if (step.kind() == Kind.ASYNC) {
            String id = Script.id(step.name(), attempt);
            if (waits.isAnswered(id)) {
                recordUnknownEffect(step);
                return waits.readReply(step, attempt);
            }
            // Nothing waits for this attempt any longer.
            waits.close(id);
            fate.crashAfter(Where.WAIT, step, attempt);
        }
        return failure;
    }

    /** A callback may have arrived before the stop. */
    private void stoppedMidStep(Step step) {
        String id = Script.id(step.name(), attempt);
        if (waits.isAnswered(id)) {
            recordUnknownEffect(step);
        }
        if (step.kind() == Kind.ASYNC) {
            waits.close(id);
            fate.crashAfter(Where.WAIT, step, attempt);
        }
    }

    /** Records that the step may have taken effect, unless its transaction was rolled back. */
    private void recordPossibleEffect(Step step) {
        if (!step.deduped()) {
            recordUnknownEffect(step);
        }
    }

    private void recordUnknownEffect(Step step) {
        effects.putIfAbsent(step.name(), new Effect(false, null));
    }

    static @Nullable Object result(Step step, int attempt) {
        String value = step.name() + "." + attempt;
        return step.returns() == Returns.NOTHING
                ? null
                : step.returns() == Returns.SCALAR ? value : Map.of(step.part(), value);
    }

    /** Stores a result. That of an asynchronous step's code is merged into the context even if the step names a key. */
    private void store(Step step, @Nullable Object result) {
        boolean isMerged = step.kind() == Kind.ASYNC || !step.hasResultKey();
        if (result instanceof Map<?, ?> parts && isMerged) {
            parts.forEach((key, value) -> context.put(String.valueOf(key), value));
        } else if (result != null) {
            context.put(step.kind() == Kind.ASYNC ? step.name() : step.key(), result);
        }
    }

    private void duringCode(Step step, Attempt scripted) {
        if (attempt == 1) {
            int index = script.steps().indexOf(step);
            script.steps().stream()
                    .filter(each -> each.answeredBy() == index)
                    .forEach(each -> waits.reply(each, 1, "early", true, each.name() + ".early"));
        }
        String id = Script.id(step.name(), attempt);
        if (scripted.early() != Early.NONE) {
            waits.reply(step, attempt, "own " + id, scripted.early() == Early.COMPLETE, id + ".own");
        }
        Event event = fate.trigger(Where.CODE, step, attempt, false);
        if (event != null) {
            fate.applyStop(event.stop());
        }
    }

    // Compensation

    private boolean isToBeCompensated() {
        return script.steps().stream()
                .anyMatch(each -> each.compensation() != null && effects.containsKey(each.name()));
    }

    /** Returns true if all effects are compensated. */
    private boolean compensate() {
        if (!fate.compensating) {
            before = 0;
        }
        fate.compensating = true;
        fate.unfinished = false;
        for (; compensatedFrom >= 0; compensatedFrom--) {
            Step step = script.steps().get(compensatedFrom);
            ScriptedCompensation compensation = step.compensation();
            Effect effect = effects.get(step.name());
            if (compensation != null && effect != null) {
                if (!compensated(step, compensation, effect)) {
                    fate.unfinished = true;
                    states.put(step.name(), StepState.COMPENSATING);
                    return false;
                }
                states.put(step.name(), StepState.COMPENSATED);
                empty.put(step.name(), !effect.known());
            }
            compensationAttempt = 1;
            before = 0;
        }
        return true;
    }

    private boolean compensated(Step step, ScriptedCompensation compensation, Effect effect) {
        for (; ; compensationAttempt++) {
            fate.boundary(Fate.Next.CODE);
            line("undo %s known=%s %s"
                    .formatted(Script.id(step.name(), compensationAttempt), effect.known(), effect.result()));
            Event event = script.event(Where.COMPENSATION, step.name(), compensationAttempt)
                    .orElse(null);
            if (event != null && event.crash() != Crash.AFTER && fate.occurred.add(event)) {
                if (event.crash() == Crash.MID_STEP) {
                    line("crash");
                    fate.applyStop(event.stop());
                    compensationAttempt--;
                    continue;
                }
                fate.applyStop(event.stop());
            }
            fate.crashAfter(Where.COMPENSATION, step, compensationAttempt);
            if (compensationAttempt > compensation.failures()) {
                fate.crashBeforeTheNextEntry(step);
                return true;
            }
            fate.boundary(Fate.Next.NOTE);
            if (compensationAttempt - before >= compensation.tries().max()) {
                return false;
            }
            pause(step, compensationAttempt, compensation.tries().pause(), Where.COMPENSATION);
        }
    }
}
