package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import org.jspecify.annotations.Nullable;

/**
 * The body of a step threw. Who catches it and goes on, has decided: that the step failed is journaled, and it fails again
 * when the run is told again. Who does not, fails the run, which can be retried from this step.
 *
 * <p>What the body threw is its cause the first time, for logs, and is not there when the run is told again: code that asks
 * for it takes another path then. The message is the same each time.
 *
 * @since 0.1.0
 */
public final class StepFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String step;
    private final String why;

    StepFailedException(String step, String why, @Nullable Throwable cause) {
        super("Step '%s' failed: %s".formatted(LogText.of(step), LogText.of(why)), cause);
        this.step = step;
        this.why = why;
    }

    static boolean isDueTo(String step, Throwable ending) {
        Throwable cause = ending;
        for (int depth = 0; cause != null && depth < 100; depth++) {
            if (cause instanceof StepFailedException failed && failed.step.equals(step)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /**
     * Which step.
     *
     * @return its name, with its key
     */
    public String step() {
        return step;
    }

    /**
     * What the body threw, in its own words.
     *
     * @return the same each time
     */
    public String why() {
        return why;
    }
}
