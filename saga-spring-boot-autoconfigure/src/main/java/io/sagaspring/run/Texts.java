package io.sagaspring.run;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;

/** Texts for people, as they can be stored. */
final class Texts {

    private static final int LONGEST = 8_000;

    private Texts() {}

    /** PostgreSQL stores every character but one. */
    static @Nullable String storable(@Nullable String text) {
        return text == null
                ? null
                : text.substring(0, Math.min(text.length(), LONGEST)).replace('\0', ' ');
    }

    static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException unprintable) {
            text.append(failure.getClass().getName()).append(", whose message cannot be read");
        }
        return text.toString();
    }
}
