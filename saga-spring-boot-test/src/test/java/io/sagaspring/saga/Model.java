package io.sagaspring.saga;

import io.sagaspring.run.RunState;
import io.sagaspring.saga.Script.Answer;
import io.sagaspring.saga.Script.Attempt;
import io.sagaspring.saga.Script.Condition;
import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Early;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.Returns;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Stop;
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

    /** What comes next, and so is written together with what was done. */
    private enum Next {
        BODY,
        /** A condition, or that it was given up, or that all is done. */
        NOTE,
        /** Nothing for a while: nobody drives it. */
        PAUSE,
        /** It is over, or waits for an operator. */
        REST
    }

    private enum Heard {
        NOTHING,
        CANCEL,
        LATE
    }

    private record Reply(boolean completed, String payload) {}

    /** What may have taken effect. */
    private record Effect(boolean known, @Nullable Object result) {}

    private record Failure(String type, boolean retried) {

        StepState state() {
            return type.equals(StepError.TIMEOUT) ? StepState.TIMED_OUT : StepState.FAILED;
        }
    }

    private static final class Stopped extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

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
    private final Map<String, Reply> replies = new HashMap<>();
    private final Set<String> closed = new HashSet<>();
    private final Set<String> keys = new HashSet<>();
    private final Map<String, Object> context = new TreeMap<>();
    private final Set<Event> happened = new HashSet<>();
    private boolean deadline;
    private boolean cancelled;
    private boolean late;
    private boolean over;
    private boolean compensating;
    private Heard heard = Heard.NOTHING;
    private @Nullable String error;
    private @Nullable Event doom;
    private boolean interrupted;
    private int retries;

    // Where it is

    private int next;
    private int attempt = 1;
    private int undoneFrom = -1;
    private int undoAttempt = 1;

    /** How many attempts were made before an operator had it go on. */
    private int before;

    /** It could not be undone: it rests, and is not over. */
    private boolean unfinished;

    private Model(Script script) {
        this.script = script;
        this.deadline = script.deadline();
        this.retries = script.retries();
    }

    static List<String> of(Script script) {
        Model model = new Model(script);
        model.run();
        return model.lines;
    }

    private void run() {
        script.event(Where.START, "", 0).ifPresent(event -> happen(event.stop()));
        RunState end = ended();
        while (!rest(end)) {
            end = ended();
        }
        for (Step step : script.steps()) {
            if (step.kind() != Kind.SYNC) {
                line("tell %s afterwards -> too late".formatted(step.name()));
            }
        }
        line("ends %s cancelled=%s".formatted(end, heard == Heard.CANCEL));
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
        over = false;
        try {
            if (undoneFrom < 0) {
                hear(null);
                for (; next < script.steps().size(); next++) {
                    forward(script.steps().get(next));
                    attempt = 1;
                }
                hear(null);
            }
        } catch (Stopped stopped) {
            undoneFrom = script.steps().size() - 1;
        } catch (GivenUp givenUp) {
            if (!isToBeCompensated()) {
                boundary(Next.REST);
                return RunState.FAILED;
            }
            undoneFrom = script.steps().size() - 1;
        }
        boolean isCompensated = undoneFrom < 0 || undo();
        RunState end = !isCompensated ? RunState.COMPENSATION_FAILED : state(compensating);
        boundary(Next.REST);
        return end;
    }

    private RunState state(boolean isStopped) {
        if (heard == Heard.CANCEL) {
            return RunState.CANCELLED;
        }
        return heard == Heard.LATE || isStopped ? RunState.FAILED : RunState.COMPLETED;
    }

    /** Whether an operator leaves it there. */
    private boolean rest(RunState end) {
        String why = switch (end) {
            case FAILED -> heard == Heard.LATE ? StepError.TIMEOUT : error;
            case COMPENSATION_FAILED -> IllegalStateException.class.getName();
            default -> null;
        };
        line("rests %s %s".formatted(end, why));
        if (retries == 0) {
            return true;
        }
        retries--;
        boolean goesOn = end == RunState.COMPENSATION_FAILED || (end == RunState.FAILED && !compensating);
        line("retry -> %s".formatted(goesOn));
        if (goesOn && !compensating) {
            deadline &= !late;
            late = false;
            heard = Heard.NOTHING;
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

    // What happens to it

    private void happen(Stop stop) {
        if (stop == Stop.CANCEL) {
            line("cancel -> %s".formatted(!over));
            cancelled |= !over;
        } else if (stop == Stop.LATE) {
            line("late");
            late |= deadline;
        }
    }

    private @Nullable Event take(Where where, Step step, int number, boolean isCrash) {
        Event event = script.event(where, step.name(), number).orElse(null);
        return event != null && (event.crash() != Crash.NONE) == isCrash && happened.add(event) ? event : null;
    }

    private void doomAfter(Where where, Step step, int number) {
        Event event = script.event(where, step.name(), number).orElse(null);
        if (event != null && event.crash() == Crash.AFTER && happened.add(event)) {
            doom = event;
        }
    }

    private boolean isToStop() {
        return cancelled || late;
    }

    /**
     * What was done is durable before what is next: there the node dies that is to die after it. Returns whether what is
     * next may have begun on a node that is gone, as far as anybody can know.
     */
    private boolean boundary(Next what) {
        Event event = doom;
        if (event != null) {
            doom = null;
            line("crash");
            interrupted |= what == Next.BODY || what == Next.NOTE;
            over = what == Next.REST && !unfinished;
            happen(event.stop());
        }
        over = what == Next.REST && !unfinished;
        boolean was = interrupted;
        interrupted = false;
        return was;
    }

    private void hear(@Nullable Step step) {
        if (isToStop()) {
            heard = cancelled ? Heard.CANCEL : Heard.LATE;
            if (step != null) {
                states.put(step.name(), cancelled ? StepState.CANCELLED : StepState.TIMED_OUT);
            }
            throw new Stopped();
        }
    }

    // Forward

    private void forward(Step step) {
        boolean isFresh = attempt == 1;
        if (isFresh && step.condition() != Condition.NONE) {
            boundary(Next.NOTE);
            hear(step);
            if (step.condition() == Condition.FAILS) {
                skipped.add(step.name());
                return;
            }
        }
        if (step.fireAndForget()) {
            boundary(Next.BODY);
            hear(step);
            fired.add(step);
            return;
        }
        if (isFresh) {
            before = 0;
        }
        for (; ; attempt++) {
            Failure failure = step.kind() == Kind.SIGNAL ? waited(step) : called(step);
            if (failure == null) {
                states.put(step.name(), StepState.COMPLETED);
                return;
            }
            states.put(step.name(), failure.state());
            // What is done about it is journaled, and before that it hears what it was told.
            boundary(Next.NOTE);
            hear(step);
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
        Failure failure;
        int number = 0;
        do {
            number++;
            calls.add(Script.id(step.name(), number));
            failure = failure(step.attempt(number));
        } while (failure != null && failure.retried() && number < step.tries().max());
        states.put(step.name(), failure == null ? StepState.COMPLETED : failure.state());
        line("beside %s".formatted(calls));
    }

    private static @Nullable Failure failure(Attempt scripted) {
        return switch (scripted.body()) {
            case RETURN -> null;
            case THROW -> new Failure(IllegalStateException.class.getName(), true);
            case REFUSE -> new Failure(IllegalArgumentException.class.getName(), false);
            case TIME_OUT, TIME_OUT_AND_RETURN -> new Failure(StepError.TIMEOUT, true);
        };
    }

    private void pause(Step step, int number, boolean isLong, Where where) {
        if (!isLong) {
            return;
        }
        boundary(Next.PAUSE);
        if (where == Where.PAUSE) {
            hear(step);
            Event event = take(Where.PAUSE, step, number, false);
            if (event != null) {
                happen(event.stop());
            }
            hear(step);
        }
    }

    private @Nullable Failure called(Step step) {
        Attempt script = step.attempt(attempt);
        boolean mayHaveBegun;
        while (true) {
            mayHaveBegun = boundary(Next.BODY);
            if (isToStop() && mayHaveBegun) {
                maybe(step);
                stoppedAmid(step);
            }
            hear(step);
            line("call %s".formatted(Script.id(step.name(), attempt)));
            inBody(step, script);
            Event event = this.script.event(Where.BODY, step.name(), attempt).orElse(null);
            if (event != null && event.crash() == Crash.AMID && happened.add(event)) {
                line("crash");
                interrupted = true;
                happen(event.stop());
                continue;
            }
            break;
        }
        doomAfter(Where.BODY, step, attempt);
        Failure failure = failure(script);
        if (failure == null) {
            Object result = result(step, attempt);
            effects.put(step.name(), new Effect(true, result));
            store(step, result);
            if (doom != null && step.deduped()) {
                // It is durable with its effects, and not with what is next.
                boundary(Next.BODY);
                interrupted = true;
            }
            return step.kind() == Kind.ASYNC ? waited(step) : null;
        }
        if (mayHaveBegun || failure.state() == StepState.TIMED_OUT) {
            maybe(step);
        }
        if (step.kind() == Kind.ASYNC) {
            String id = Script.id(step.name(), attempt);
            if (replies.containsKey(id)) {
                wasBegun(step);
                return heard(step);
            }
            // Nobody waits for this attempt any more.
            closed.add(id);
            doomAfter(Where.WAIT, step, attempt);
        }
        return failure;
    }

    /** Somebody may have called back before it was stopped. */
    private void stoppedAmid(Step step) {
        String id = Script.id(step.name(), attempt);
        if (replies.containsKey(id)) {
            wasBegun(step);
        }
        if (step.kind() == Kind.ASYNC) {
            closed.add(id);
            doomAfter(Where.WAIT, step, attempt);
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
                    .forEach(each -> tell(each, 1, "early", true, each.name() + ".early"));
        }
        String id = Script.id(step.name(), attempt);
        if (scripted.early() != Early.NONE) {
            tell(step, attempt, "own " + id, scripted.early() == Early.COMPLETE, id + ".own");
        }
        Event event = take(Where.BODY, step, attempt, false);
        if (event != null) {
            happen(event.stop());
        }
    }

    // Waits

    private boolean tell(Step step, int number, String key, boolean completes, String payload) {
        String id = Script.id(step.name(), number);
        boolean isRepeated = keys.contains(step.name() + " " + key);
        boolean isLate = over || compensating || closed.contains(id) || replies.containsKey(id);
        line("tell %s %s -> %s".formatted(id, key, isRepeated ? "repeated" : isLate ? "too late" : "applied"));
        if (isRepeated || isLate) {
            return false;
        }
        keys.add(step.name() + " " + key);
        replies.put(id, new Reply(completes, payload));
        return true;
    }

    private @Nullable Failure waited(Step step) {
        String id = Script.id(step.name(), attempt);
        if (replies.containsKey(id)) {
            return heard(step);
        }
        Answer answer = step.attempt(attempt).answer();
        if (answer == Answer.WHILE_SUSPENDED) {
            boolean unused = tell(step, attempt, "key " + id, true, id + ".said");
            boundary(Next.PAUSE);
            return heard(step);
        }
        boundary(Next.PAUSE);
        hearWaiting(step);
        Event event = take(Where.WAIT, step, attempt, false);
        if (event != null) {
            happen(event.stop());
            if (!event.answered()) {
                hearWaiting(step);
            }
        }
        return answered(step, id, answer);
    }

    private void hearWaiting(Step step) {
        if (isToStop()) {
            closed.add(Script.id(step.name(), attempt));
        }
        hear(step);
    }

    private @Nullable Failure answered(Step step, String id, Answer answer) {
        String key = "key " + id;
        String payload = id + ".said";
        switch (answer) {
            case SILENCE -> {
                closed.add(id);
                doomAfter(Where.WAIT, step, attempt);
                return new Failure(StepError.TIMEOUT, true);
            }
            case FAIL -> tell(step, attempt, key, false, payload);
            case TWICE -> {
                tell(step, attempt, key, true, payload);
                tell(step, attempt, key, true, payload);
                tell(step, attempt, "other " + id, true, payload);
            }
            case FORGED -> {
                line("forged");
                tell(step, attempt, key, true, payload);
            }
            case EXTENDED -> {
                line("extend %s -> applied".formatted(id));
                hearWaiting(step);
                line("waits on");
                tell(step, attempt, key, true, payload);
            }
            case STALE -> {
                tell(step, 1, "stale " + id, true, payload);
                tell(step, attempt, key, true, payload);
            }
            default -> tell(step, attempt, key, true, payload);
        }
        return heard(step);
    }

    private @Nullable Failure heard(Step step) {
        // Who has heard it is who begins what is next.
        interrupted = false;
        doomAfter(Where.WAIT, step, attempt);
        Reply reply = replies.get(Script.id(step.name(), attempt));
        if (reply == null || !reply.completed()) {
            return new Failure("said", true);
        }
        context.put(step.key(), reply.payload());
        return null;
    }

    // Back

    private boolean isToBeCompensated() {
        return script.steps().stream().anyMatch(each -> each.undo() != null && effects.containsKey(each.name()));
    }

    /** Returns whether all of it is undone. */
    private boolean undo() {
        if (!compensating) {
            before = 0;
        }
        compensating = true;
        unfinished = false;
        for (; undoneFrom >= 0; undoneFrom--) {
            Step step = script.steps().get(undoneFrom);
            Undo undo = step.undo();
            Effect effect = effects.get(step.name());
            if (undo != null && effect != null) {
                if (!compensated(step, undo, effect)) {
                    unfinished = true;
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
            boundary(Next.BODY);
            line("undo %s known=%s %s".formatted(Script.id(step.name(), undoAttempt), effect.known(), effect.result()));
            Event event = script.event(Where.UNDO, step.name(), undoAttempt).orElse(null);
            if (event != null && event.crash() != Crash.AFTER && happened.add(event)) {
                if (event.crash() == Crash.AMID) {
                    line("crash");
                    happen(event.stop());
                    undoAttempt--;
                    continue;
                }
                happen(event.stop());
            }
            doomAfter(Where.UNDO, step, undoAttempt);
            if (undoAttempt > undo.failures()) {
                return true;
            }
            boundary(Next.NOTE);
            if (undoAttempt - before >= undo.tries().max()) {
                return false;
            }
            pause(step, undoAttempt, undo.tries().pause(), Where.UNDO);
        }
    }
}
