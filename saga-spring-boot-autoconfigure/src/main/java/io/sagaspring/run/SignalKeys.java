package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/** Checks that the names and keys of signals can be stored and are not too long. */
final class SignalKeys {

    private static final int LONGEST_NAME = 300;
    private static final int LONGEST_KEY = 500;

    private SignalKeys() {}

    static void check(@Nullable String key) {
        if (key != null) {
            TextRules.requireName("The key of a callback or signal", key, LONGEST_KEY);
        }
    }

    /**
     * Checks the name of a signal or a sleep. Sagas append a suffix for the attempt to the name of a step, so the limit
     * is higher than the limit for step names.
     */
    static void checkName(String signal) {
        TextRules.requireName("The name of a signal or a sleep", signal, LONGEST_NAME);
    }
}
