package io.sagaspring.saga;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What one saga is, and all that happens to it. Engine and model are given the same one.
 *
 * @param seed makes it again
 * @param deadline whether the saga has a timeout, which passes only where an event says so
 * @param steps in their order
 * @param events each of which happens once, if its place is reached
 * @param retries how often an operator has it go on
 */
record Script(long seed, boolean deadline, List<Step> steps, List<Event> events, int retries) {

    /** How a step comes to its end. */
    enum Kind {
        SYNC,
        ASYNC,
        SIGNAL
    }

    /** Whether a step is run. */
    enum Condition {
        NONE,
        HOLDS,
        FAILS
    }

    /** What a body returns. */
    enum Returns {
        NOTHING,
        SCALAR,
        MAP
    }

    /** How a body ends. */
    enum Body {
        RETURN,
        THROW,
        /** With what the policy does not cover. */
        REFUSE,
        /** It is interrupted, and throws. */
        TIME_OUT,
        /** It is interrupted, and returns nevertheless. */
        TIME_OUT_AND_RETURN
    }

    /** What is said about an attempt while its body still runs. */
    enum Early {
        NONE,
        COMPLETE,
        FAIL
    }

    /** What is said about an attempt that waits. */
    enum Answer {
        COMPLETE,
        FAIL,
        /** Nothing, until its time is over. */
        SILENCE,
        /** Once more with the same key, and once with another one. */
        TWICE,
        /** With a token of nobody, of another step and of another attempt, before the right one. */
        FORGED,
        /** It is given more time, and completed in that. */
        EXTENDED,
        /** Its time is over, and nobody has looked. */
        AT_THE_LAST_MOMENT,
        /** Its time is over, and somebody is about to write that. */
        WHILE_CONCLUDED,
        /** It is about to wait. */
        WHILE_SUSPENDED,
        /** First with the token of the first attempt. */
        STALE;

        boolean needsTime() {
            return this == SILENCE || this == EXTENDED || this == AT_THE_LAST_MOMENT || this == WHILE_CONCLUDED;
        }
    }

    /** What one attempt does. */
    record Attempt(Body body, Early early, Answer answer) {

        static final Attempt PLAIN = new Attempt(Body.RETURN, Early.NONE, Answer.COMPLETE);

        @Override
        public String toString() {
            return early == Early.NONE ? body + "/" + answer : "%s/early %s/%s".formatted(body, early, answer);
        }
    }

    /**
     * One step.
     *
     * @param undo what undoes it, or null
     * @param tries when it is tried again
     * @param timed whether it has a timeout
     * @param apart whether it says where its result is stored
     * @param attempts what its attempts do; those behind the last of them succeed
     * @param toldBy the number of the step before whose first attempt already answers this one, or -1
     */
    record Step(
            String name,
            Kind kind,
            Condition condition,
            @Nullable Undo undo,
            Tries tries,
            boolean timed,
            boolean deduped,
            boolean fireAndForget,
            Returns returns,
            boolean apart,
            List<Attempt> attempts,
            int toldBy) {

        Attempt attempt(int number) {
            return number <= attempts.size() ? attempts.get(number - 1) : Attempt.PLAIN;
        }

        /** Where what is said about it is stored, and what a synchronous one returns. */
        String key() {
            return apart ? name + "_apart" : name;
        }

        String part() {
            return name + "_part";
        }

        @Override
        public String toString() {
            return "%s %s, condition %s, undo %s, %s%s%s%s, returns %s%s%s, attempts %s"
                    .formatted(
                            name,
                            kind,
                            condition,
                            undo,
                            tries,
                            timed ? ", timed" : "",
                            deduped ? ", deduped" : "",
                            fireAndForget ? ", forgotten" : "",
                            returns,
                            apart ? " apart" : "",
                            toldBy < 0 ? "" : ", told by s" + (toldBy + 1),
                            attempts);
        }
    }

    /** A policy. */
    record Tries(int max, boolean pause) {

        @Override
        public String toString() {
            return "%d tries%s".formatted(max, pause ? " with pauses" : "");
        }
    }

    /** An undo, which fails so often first. */
    record Undo(Tries tries, int failures) {

        @Override
        public String toString() {
            return "in %s failing %d times".formatted(tries, failures);
        }
    }

    /** Where something happens. */
    enum Where {
        START,
        BODY,
        WAIT,
        PAUSE,
        UNDO
    }

    /** How the node dies. */
    enum Crash {
        NONE,
        /** In the body, when it has done what it does. */
        AMID,
        /** When it is journaled what became of it, and before anything else is. */
        AFTER
    }

    /** What tells the saga to stop: if the node dies, before another one takes over. */
    enum Stop {
        NONE,
        CANCEL,
        LATE
    }

    /**
     * What happens.
     *
     * @param step to which step, empty at the start
     * @param attempt in which attempt of the step, or of its undo
     * @param answered whether a wait that is told to stop is answered, too, before anybody has looked
     */
    record Event(Where where, String step, int attempt, Crash crash, Stop stop, boolean answered) {

        @Override
        public String toString() {
            return "%s %s: crash %s, stop %s%s"
                    .formatted(where, id(step, attempt), crash, stop, answered ? " and answer" : "");
        }

        boolean isAt(Where otherWhere, String otherStep, int otherAttempt) {
            return where == otherWhere && step.equals(otherStep) && attempt == otherAttempt;
        }
    }

    Optional<Event> event(Where where, String step, int attempt) {
        return events.stream().filter(each -> each.isAt(where, step, attempt)).findFirst();
    }

    Step step(String name) {
        return steps.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** As the journal calls it. */
    static String id(String name, int attempt) {
        return attempt == 1 ? name : name + ":" + attempt;
    }

    @Override
    public String toString() {
        return "seed %d%s, retried %d times%n%s%n%s"
                .formatted(
                        seed,
                        deadline ? ", with a timeout" : "",
                        retries,
                        steps.stream().map(each -> "  " + each).collect(Collectors.joining("\n")),
                        events.stream().map(each -> "  " + each).collect(Collectors.joining("\n")));
    }
}
