package io.sagaspring.run;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Logs exceptions of the application. If a logger cannot print such an exception, the run must nevertheless end as it would. */
final class FailureLog {

    private FailureLog() {}

    /**
     * Logs an exception, or its text if it has no readable message.
     *
     * @param logging passes the exception to the logger
     */
    static void log(@Nullable Throwable failure, Consumer<@Nullable Throwable> logging) {
        try {
            logging.accept(failure);
        } catch (RuntimeException | LinkageError | StackOverflowError unprintable) {
            logging.accept(new TextOf(failure == null ? unprintable : failure));
        }
    }

    private static final class TextOf extends Exception {

        private static final long serialVersionUID = 1L;

        TextOf(Throwable failure) {
            super(FailureText.of(failure), null, false, false);
        }
    }
}
