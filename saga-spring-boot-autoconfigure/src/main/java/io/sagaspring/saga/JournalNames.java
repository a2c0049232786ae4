package io.sagaspring.saga;

import io.sagaspring.run.InvalidNameException;
import java.util.List;

/**
 * How the journal, and what is noted beside it, calls what belongs to a step. No name of a step has a colon. Nothing is
 * formatted: numbers are the same in each locale.
 */
final class JournalNames {

    /** Begins the name of the note by which a callback is found. */
    static final String CORRELATION = "correlation:";

    /** Journals, effect keys and signals append to a step's name what tells their own apart. */
    static final char RESERVED = ':';

    /** What journals call something else. */
    static final List<String> TAKEN = List.of("now", "end", "saga");

    private static final int LONGEST_EXTERNAL_ID = 500;

    private static final String FAILED = ":failed";
    private static final String UNDO = ":undo";

    private JournalNames() {}

    static String definition(String hash) {
        return "saga:" + hash;
    }

    static String undo(String step) {
        return step + UNDO;
    }

    static String attempt(String id, int attempt) {
        return attempt == 1 ? id : id + ":" + attempt;
    }

    static String pauseBefore(String id, int attempt) {
        return attempt(id, attempt) + ":pause";
    }

    static String condition(String step) {
        return step + ":runs";
    }

    /** That a run was started for a step that is fired and forgotten. */
    static String fired(String step) {
        return step + ":fired";
    }

    static String callback(String step, int attempt) {
        return attempt(step, attempt) + ":callback";
    }

    /** For what an attempt waits. */
    static String awaited(PlannedStep<?> step, int attempt) {
        return step.kind() == PlannedStep.Kind.SIGNAL ? attempt(step.name(), attempt) : callback(step.name(), attempt);
    }

    /** What is done about an attempt that failed. */
    static String decision(String id, int attempt) {
        return attempt(id, attempt) + FAILED;
    }

    static boolean isDecision(String entry) {
        return entry.endsWith(FAILED);
    }

    /** About which attempt was decided. */
    static String decided(String decision) {
        return decision.substring(0, decision.length() - FAILED.length());
    }

    /** No name of a step has a colon. */
    static String stepOf(String entry) {
        int end = entry.indexOf(RESERVED);
        return end < 0 ? entry : entry.substring(0, end);
    }

    static boolean isCompensation(String entry) {
        return entry.endsWith(UNDO) || entry.contains(UNDO + ":");
    }

    /** Whether an entry is about a step. */
    static boolean isAbout(String entry, String step) {
        return entry.equals(step) || entry.startsWith(step + ":");
    }

    static String heartbeat(String step, int attempt) {
        return "heartbeat:" + attempt(step, attempt);
    }

    /** It is stored, and is looked up as it was stored. */
    static void requireExternalId(String externalId) {
        InvalidNameException.requireValid(
                "The number with which a step is correlated", externalId, LONGEST_EXTERNAL_ID);
    }

    static String correlation(String step, int attempt) {
        return CORRELATION + attempt + ":" + step;
    }

    static String effectKey(String execution, String id) {
        return execution + ":" + id;
    }
}
