package io.sagaspring.saga;

/** How the journal calls what belongs to a step. No name of a step has a colon. */
final class Ids {

    private Ids() {}

    static String definition(String hash) {
        return "saga:" + hash;
    }

    static String undo(String step) {
        return step + ":undo";
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

    static String effectKey(String execution, String id) {
        return "%s:%s".formatted(execution, id);
    }
}
