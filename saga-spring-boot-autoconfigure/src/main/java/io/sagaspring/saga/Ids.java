package io.sagaspring.saga;

/** How the journal, and what is noted beside it, calls what belongs to a step. No name of a step has a colon. */
final class Ids {

    /** Begins the name of the note by which a callback is found. */
    static final String CORRELATION = "correlation:";

    /** Journals, effect keys and signals append to a step's name what tells their own apart. */
    static final char RESERVED = ':';

    private static final String GIVEN_UP = ":failed:";
    private static final String UNDO = ":undo";

    private Ids() {}

    static String definition(String hash) {
        return "saga:" + hash;
    }

    static String undo(String step) {
        return step + UNDO;
    }

    static String attempt(String id, int attempt) {
        return attempt == 1 ? id : "%s:%d".formatted(id, attempt);
    }

    static String pauseBefore(String id, int attempt) {
        return "%s:pause".formatted(attempt(id, attempt));
    }

    static String condition(String step) {
        return step + ":runs";
    }

    static String callback(String step, int attempt) {
        return "%s:callback".formatted(attempt(step, attempt));
    }

    /** For what an attempt waits. */
    static String awaited(PlannedStep<?> step, int attempt) {
        return step.kind() == PlannedStep.Kind.SIGNAL ? attempt(step.name(), attempt) : callback(step.name(), attempt);
    }

    /** It was given up for the so-manieth time in this execution. */
    static String givenUp(String id, int time) {
        return "%s%s%d".formatted(id, GIVEN_UP, time);
    }

    static boolean isGivenUp(String entry) {
        return entry.contains(GIVEN_UP);
    }

    static boolean isUndo(String entry) {
        return entry.endsWith(UNDO) || entry.contains(UNDO + ":");
    }

    /** Whether an entry is about a step. */
    static boolean isAbout(String entry, String step) {
        return entry.equals(step) || entry.startsWith(step + ":");
    }

    static String heartbeat(String step, int attempt) {
        return "heartbeat:" + attempt(step, attempt);
    }

    static String correlation(String step, int attempt) {
        return "%s%d:%s".formatted(CORRELATION, attempt, step);
    }

    static String effectKey(String execution, String id) {
        return "%s:%s".formatted(execution, id);
    }
}
