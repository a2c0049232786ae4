package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/** Checks the names and keys of signals: they have to be storable and of limited length. */
final class SignalKeys {

    private static final int LONGEST_NAME = 300;
    private static final int LONGEST_KEY = 500;

    private SignalKeys() {}

    static void check(@Nullable String key) {
        if (key != null) {
            TextRules.requireName("The key of a callback or signal", key, LONGEST_KEY);
        }
    }

    /** Checks a name. Sagas append a suffix for the attempt to the name of a step, so the limit is higher than that of a step. */
    static void checkName(String signal) {
        TextRules.requireName("The name of a signal or a sleep", signal, LONGEST_NAME);
    }
}
