package io.sagaspring.saga;

import io.sagaspring.run.InvalidNameException;
import java.util.List;

/**
 * The names of a step's journal entries and notes. A step's name cannot contain a colon, so the names of two steps'
 * entries never clash. Numbers are appended without formatting, so that they do not depend on the locale.
 */
final class JournalNames {

    /** The prefix of the notes that record external ids. With such a note, the library finds the step of a callback. */
    static final String CORRELATION = "correlation:";

    /** The character that separates a step's name from the suffixes in journals, effect keys and signals. */
    static final char SEPARATOR = ':';

    /** Names that a step must not have, because they have another meaning in a journal. */
    static final List<String> RESERVED_NAMES = List.of("now", "end", "saga");

    private static final int LONGEST_EXTERNAL_ID = 500;

    private static final String DEFINITION = "saga:";
    private static final String FAILED = ":failed";
    private static final String UNDO = ":undo";

    private JournalNames() {}

    static String definition(String hash) {
        return DEFINITION + hash;
    }

    static boolean isDefinition(String entry) {
        return entry.startsWith(DEFINITION);
    }

    static String compensation(String step) {
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

    /** Returns the name of the entry that records the start of a fire-and-forget step's run. */
    static String fired(String step) {
        return step + ":fired";
    }

    static String callback(String step, int attempt) {
        return attempt(step, attempt) + ":callback";
    }

    /** Returns the name under which an attempt waits for its callback or signal. */
    static String awaited(PlannedStep<?> step, int attempt) {
        return step.kind() == PlannedStep.Kind.SIGNAL ? attempt(step.name(), attempt) : callback(step.name(), attempt);
    }

    /** Returns the name of the entry that records the decision about a failed attempt. */
    static String decision(String id, int attempt) {
        return attempt(id, attempt) + FAILED;
    }

    static boolean isDecision(String entry) {
        return entry.endsWith(FAILED);
    }

    /** Returns the name of the attempt that a decision is about. */
    static String decided(String decision) {
        return decision.substring(0, decision.length() - FAILED.length());
    }

    /** Returns the step's name, which is the part before the first colon. */
    static String stepOf(String entry) {
        int end = entry.indexOf(SEPARATOR);
        return end < 0 ? entry : entry.substring(0, end);
    }

    static boolean isCompensation(String entry) {
        return entry.endsWith(UNDO) || entry.contains(UNDO + ":");
    }

    /** Returns true if an entry belongs to a step. */
    static boolean isAbout(String entry, String step) {
        return entry.equals(step) || entry.startsWith(step + ":");
    }

    static String heartbeat(String step, int attempt) {
        return "heartbeat:" + attempt(step, attempt);
    }

    /** Checks an external id, which is stored unchanged and later looked up. */
    static void requireExternalId(String externalId) {
        InvalidNameException.requireValid("The external id of a step", externalId, LONGEST_EXTERNAL_ID);
    }

    static String correlation(String step, int attempt) {
        return CORRELATION + attempt + ":" + step;
    }

    static String effectKey(String execution, String id) {
        return execution + ":" + id;
    }
}
