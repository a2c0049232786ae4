package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/** A run ended, and not by coming to its end. */
public final class RunNotCompletedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final RunState state;

    RunNotCompletedException(RunStore.RunRow row) {
        super("Run %s of '%s' ended as %s%s"
                .formatted(row.id(), row.run(), row.state().text(), because(row)));
        this.state = row.state();
    }

    private static String because(RunStore.RunRow row) {
        String why = row.cancelReason() == null ? row.error() : row.cancelReason();
        return why == null ? "." : ": " + firstLine(why);
    }

    private static @Nullable String firstLine(String text) {
        return text.lines().findFirst().orElse(null);
    }

    /**
     * How it ended.
     *
     * @return {@link RunState#FAILED} or {@link RunState#CANCELLED}
     */
    public RunState state() {
        return state;
    }
}
