package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/** Refuses names and keys that cannot be stored as they are, or that are longer than any needs to be. */
final class SignalKeys {

    private static final int LONGEST_NAME = 300;
    private static final int LONGEST_KEY = 500;

    private SignalKeys() {}

    static void check(@Nullable String key) {
        if (key != null) {
            TextRules.requireName("The key of a callback or signal", key, LONGEST_KEY);
        }
    }

    /** Sagas add to the name of a step what tells its attempts apart. */
    static void checkName(String signal) {
        TextRules.requireName("The name of a signal or a sleep", signal, LONGEST_NAME);
    }
}
