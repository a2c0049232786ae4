package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a run has no result because it failed or was cancelled.
 *
 * @since 0.1.0
 */
public final class RunNotCompletedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final RunState state;

    RunNotCompletedException(RunEnd end) {
        super("Run %s of '%s' ended as %s%s"
                .formatted(end.id(), end.run(), end.state().text(), because(end)));
        this.state = end.state();
    }

    private static String because(RunEnd end) {
        String why = end.state() == RunState.CANCELLED ? end.cancelReason() : end.error();
        return why == null ? "." : ": " + firstLine(why);
    }

    private static @Nullable String firstLine(String text) {
        return text.lines().findFirst().orElse(null);
    }

    /**
     * Returns the state in which the run ended.
     *
     * @return {@link RunState#FAILED} or {@link RunState#CANCELLED}
     */
    public RunState state() {
        return state;
    }
}
