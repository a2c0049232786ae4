package io.sagaspring.saga;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The definition of one saga and all events during its execution. The engine and the model get the same script.
 *
 * @param seed the seed from which the script can be generated again
 * @param deadline true if the saga has a time-out, which passes only where an event requests it
 * @param steps the steps, in the order in which they run
 * @param events the events; each happens once, if its position is reached
 * @param retries how often an operator retries the saga
 */
record Script(long seed, boolean deadline, List<Step> steps, List<Event> events, int retries) {

    /** How a step completes. */
    enum Kind {
        SYNC,
        ASYNC,
        SIGNAL
    }

    /** The condition of a step. */
    enum Condition {
        NONE,
        HOLDS,
        FAILS
    }

    /** The result of a step's code. */
    enum Returns {
        NOTHING,
        SCALAR,
        MAP
    }

    /** How a step's code ends. */
    enum CodeOutcome {
        RETURN,
        THROW,
        /** The code throws an exception that the retry policy excludes. */
        REFUSE,
        /** The code is interrupted, and throws an exception. */
        TIME_OUT,
        /** The code is interrupted, but returns a result. */
        TIME_OUT_AND_RETURN
    }

    /** A reply to an attempt while the step's code is still running. */
    enum Early {
        NONE,
        COMPLETE,
        FAIL
    }

    /** A reply to a waiting attempt. */
    enum Answer {
        COMPLETE,
        FAIL,
        /** There is no reply until the wait times out. */
        SILENCE,
        /** The reply is repeated with the same key, and once with a different key. */
        TWICE,
        /** Replies with an unknown token and with tokens of other steps arrive before the valid reply. */
        FORGED,
        /** The wait is extended, and completed within the new time. */
        EXTENDED,
        /** A reply arrives after the time-out, but before a node has noticed the time-out. */
        AT_THE_LAST_MOMENT,
        /** A reply arrives directly before a node records that the time-out has passed. */
        WHILE_CONCLUDED,
        /** A reply arrives directly before the attempt begins to wait. */
        WHILE_SUSPENDED,
        /** A reply with the token of the first attempt arrives before the valid reply. */
        STALE;

        boolean needsTime() {
            return this == SILENCE || this == EXTENDED || this == AT_THE_LAST_MOMENT || this == WHILE_CONCLUDED;
        }
    }

    /** The scripted behavior of one attempt. */
    record Attempt(CodeOutcome outcome, Early early, Answer answer) {

        static final Attempt PLAIN = new Attempt(CodeOutcome.RETURN, Early.NONE, Answer.COMPLETE);

        @Override
        public String toString() {
            return early == Early.NONE ? outcome + "/" + answer : "%s/early %s/%s".formatted(outcome, early, answer);
        }
    }

    /**
     * One step.
     *
     * @param compensation the compensation of the step, or null
     * @param tries the retry policy
     * @param timed true if the step has a time-out
     * @param hasResultKey true if the step sets the key for its result
     * @param attempts the scripted attempts. Later attempts succeed.
     * @param answeredBy the index of the earlier step whose first attempt already replies to this step, or -1
     */
    record Step(
            String name,
            Kind kind,
            Condition condition,
            @Nullable ScriptedCompensation compensation,
            Tries tries,
            boolean timed,
            boolean deduped,
            boolean fireAndForget,
            Returns returns,
            boolean hasResultKey,
            List<Attempt> attempts,
            int answeredBy) {

        Attempt attempt(int number) {
            return number <= attempts.size() ? attempts.get(number - 1) : Attempt.PLAIN;
        }

        /** Returns the key under which the reply, or the result of a synchronous step, is stored. */
        String key() {
            return hasResultKey ? name + "_apart" : name;
        }

        String part() {
            return name + "_part";
        }

        @Override
        public String toString() {
            return "%s %s, condition %s, compensation %s, %s%s%s%s, returns %s%s%s, attempts %s"
                    .formatted(
                            name,
                            kind,
                            condition,
                            compensation,
                            tries,
                            timed ? ", timed" : "",
                            deduped ? ", deduped" : "",
                            fireAndForget ? ", fire and forget" : "",
                            returns,
                            hasResultKey ? " under a key of its own" : "",
                            answeredBy < 0 ? "" : ", answered by s" + (answeredBy + 1),
                            attempts);
        }
    }

    /** A retry policy. */
    record Tries(int max, boolean pause) {

        @Override
        public String toString() {
            return "%d tries%s".formatted(max, pause ? " with pauses" : "");
        }
    }

    /** A compensation, which fails a number of times before it succeeds. */
    record ScriptedCompensation(Tries tries, int failures) {

        @Override
        public String toString() {
            return "in %s failing %d times".formatted(tries, failures);
        }
    }

    /** The position at which an event happens. */
    enum Where {
        START,
        CODE,
        WAIT,
        PAUSE,
        COMPENSATION
    }

    /** The moment at which the node dies. */
    enum Crash {
        NONE,
        /** In the step's code, after the code has done its work. */
        MID_STEP,
        /** After the outcome has been journaled, but before the next entry is journaled. */
        AFTER
    }

    /** A request to stop the saga. If the node dies, the request arrives before another node takes over. */
    enum Stop {
        NONE,
        CANCEL,
        LATE
    }

    /**
     * An event of the script.
     *
     * @param step the name of the step, empty at the start
     * @param attempt the attempt of the step, or of its compensation
     * @param answered true if a wait that must stop also receives a reply before a node has noticed the stop
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

    /** The name of an attempt in the journal. */
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
