package io.sagaspring.saga;

import io.sagaspring.saga.Script.Answer;
import io.sagaspring.saga.Script.Attempt;
import io.sagaspring.saga.Script.CodeOutcome;
import io.sagaspring.saga.Script.Condition;
import io.sagaspring.saga.Script.Crash;
import io.sagaspring.saga.Script.Early;
import io.sagaspring.saga.Script.Event;
import io.sagaspring.saga.Script.Kind;
import io.sagaspring.saga.Script.Returns;
import io.sagaspring.saga.Script.ScriptedCompensation;
import io.sagaspring.saga.Script.Step;
import io.sagaspring.saga.Script.Stop;
import io.sagaspring.saga.Script.Tries;
import io.sagaspring.saga.Script.Where;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Generates the script for a seed. The same seed always gives the same script. Most attempts succeed, so that scripts
 * reach later steps.
 */
final class ScriptGenerator {

    private static final int MOST_STEPS = 8;
    private static final int MOST_TRIES = 3;

    private final long seed;
    private final SplittableRandom random;

    private ScriptGenerator(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    static Script script(long seed) {
        return new ScriptGenerator(seed).script();
    }

    private Script script() {
        boolean deadline = chance(35);
        int length = 1 + random.nextInt(MOST_STEPS);
        List<Step> steps = new ArrayList<>();
        for (int index = 0; index < length; index++) {
            steps.add(step(index, steps));
        }
        return new Script(seed, deadline, List.copyOf(steps), events(steps, deadline), random.nextInt(3));
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private Step step(int index, List<Step> before) {
        Kind kind = any(List.of(Kind.SYNC, Kind.SYNC, Kind.ASYNC, Kind.ASYNC, Kind.SIGNAL));
        boolean isFireAndForget = kind == Kind.SYNC && chance(10);
        boolean isTimed = chance(60);
        Tries tries = kind == Kind.SIGNAL ? new Tries(1, false) : tries();
        ScriptedCompensation compensation =
                kind == Kind.SIGNAL || isFireAndForget || chance(30) ? null : compensation();
        List<Attempt> attempts = new ArrayList<>();
        for (int number = 0; number < MOST_TRIES + 1; number++) {
            attempts.add(attempt(kind, isTimed, number));
        }
        return new Step(
                "s" + (index + 1),
                kind,
                any(List.of(Condition.NONE, Condition.NONE, Condition.NONE, Condition.HOLDS, Condition.FAILS)),
                compensation,
                tries,
                isTimed,
                kind != Kind.SIGNAL && chance(20),
                isFireAndForget,
                any(List.of(Returns.values())),
                chance(20) && !isFireAndForget,
                List.copyOf(attempts),
                kind != Kind.SYNC && index > 0 && chance(20) ? answeringStep(before) : -1);
    }

    /**
     * Returns -1 instead of a fire-and-forget step, because the time at which the code of such a step is executed is
     * not defined.
     */
    private int answeringStep(List<Step> before) {
        int any = random.nextInt(before.size());
        return before.get(any).fireAndForget() ? -1 : any;
    }

    private Tries tries() {
        return new Tries(1 + random.nextInt(MOST_TRIES), chance(50));
    }

    private @Nullable ScriptedCompensation compensation() {
        return new ScriptedCompensation(tries(), chance(75) ? 0 : 1 + random.nextInt(4));
    }

    private Attempt attempt(Kind kind, boolean isTimed, int number) {
        CodeOutcome outcome = kind == Kind.SIGNAL ? CodeOutcome.RETURN : outcome(kind == Kind.SYNC && isTimed);
        Early early = kind == Kind.ASYNC && chance(20) ? any(List.of(Early.COMPLETE, Early.FAIL)) : Early.NONE;
        return new Attempt(outcome, early, answer(kind, isTimed, number));
    }

    private CodeOutcome outcome(boolean canTimeOut) {
        int draw = random.nextInt(100);
        if (draw < 14) {
            return CodeOutcome.THROW;
        }
        if (draw < 20) {
            return CodeOutcome.REFUSE;
        }
        if (draw < 32 && canTimeOut) {
            return any(List.of(CodeOutcome.TIME_OUT, CodeOutcome.TIME_OUT_AND_RETURN));
        }
        return CodeOutcome.RETURN;
    }

    private Answer answer(Kind kind, boolean isTimed, int number) {
        Answer answer = chance(35) ? Answer.COMPLETE : any(List.of(Answer.values()));
        boolean isPossible = switch (answer) {
            case FAIL, FORGED, EXTENDED -> kind == Kind.ASYNC;
            case STALE -> kind == Kind.ASYNC && number > 0;
            default -> true;
        };
        return isPossible && (isTimed || !answer.needsTime()) ? answer : Answer.COMPLETE;
    }

    /** Generates the events. Two events never happen at the same position. */
    private List<Event> events(List<Step> steps, boolean deadline) {
        List<Event> events = new ArrayList<>();
        int many = any(List.of(0, 1, 1, 2, 2, 3));
        for (int index = 0; index < many; index++) {
            Event event = event(any(steps), deadline);
            boolean isFireAndForget = steps.stream()
                    .anyMatch(step -> step.fireAndForget() && step.name().equals(event.step()));
            if (!isFireAndForget
                    && events.stream().noneMatch(each -> conflicts(each, event))
                    && !isUncertain(steps, event)) {
                events.add(event);
            }
        }
        return List.copyOf(events);
    }

    /**
     * Returns true if two events have the same position, or if both are crashes directly after a write, which could be
     * one and the same crash.
     */
    private static boolean conflicts(Event one, Event other) {
        return one.isAt(other.where(), other.step(), other.attempt())
                || (one.crash() == Crash.AFTER && other.crash() == Crash.AFTER);
    }

    /** Returns true if the outcome depends on the moment at which an entry is written, which no guarantee covers. */
    private static boolean isUncertain(List<Step> steps, Event event) {
        if (event.where() != Where.CODE) {
            return false;
        }
        Step step = steps.stream()
                .filter(each -> each.name().equals(event.step()))
                .findFirst()
                .orElseThrow();
        Attempt attempt = step.attempt(event.attempt());
        int index = steps.indexOf(step);
        boolean repliesEarly = attempt.early() != Early.NONE
                || (event.attempt() == 1 && steps.stream().anyMatch(each -> each.answeredBy() == index));
        boolean codeFails = step.kind() == Kind.ASYNC && attempt.outcome() != CodeOutcome.RETURN;
        // A reply during the step's code makes the next wait a separate write. If the code has thrown, the end of the
        // wait for its callback is written without checking the time.
        return event.crash() == Crash.AFTER ? repliesEarly : codeFails && event.stop() == Stop.LATE;
    }

    private Event event(Step step, boolean deadline) {
        Where where = chance(4) ? Where.START : any(places(step));
        int attempt = chance(75) ? 1 : 2;
        boolean canCrash = where == Where.CODE || where == Where.COMPENSATION;
        Crash crash = Crash.NONE;
        if (canCrash && chance(65)) {
            crash = chance(60) ? Crash.MID_STEP : Crash.AFTER;
        } else if (where == Where.WAIT && step.attempt(attempt).answer() != Answer.EXTENDED && chance(50)) {
            crash = Crash.AFTER;
        }
        Stop stop = chance(50) || !deadline ? Stop.CANCEL : Stop.LATE;
        return where == Where.START
                ? new Event(where, "", 0, Crash.NONE, stop, false)
                : new Event(
                        where,
                        step.name(),
                        attempt,
                        crash,
                        crash != Crash.NONE && chance(50) ? Stop.NONE : stop,
                        where == Where.WAIT && crash == Crash.NONE && chance(40));
    }

    private static List<Where> places(Step step) {
        List<Where> places = new ArrayList<>();
        if (step.kind() != Kind.SIGNAL) {
            places.add(Where.CODE);
            places.add(Where.CODE);
        }
        if (step.kind() != Kind.SYNC) {
            places.add(Where.WAIT);
        }
        if (step.tries().max() > 1 && step.tries().pause()) {
            places.add(Where.PAUSE);
        }
        if (step.compensation() != null) {
            places.add(Where.COMPENSATION);
        }
        return places;
    }
}
