package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a step failed, for example because its code threw an exception. If you catch this exception and the run
 * continues, that decision is final: the failure is journaled, and the step fails again on each replay. If you do not
 * catch the exception, the run fails, and can be retried from this step.
 *
 * <p>When the step's code has just thrown an exception, that exception is the cause, so that logs show it. On a replay,
 * there is no cause. Do not base decisions on the cause. The message is the same on each replay.
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
     * Returns the name of the step.
     *
     * @return the name, including the key if the step has one
     */
    public String step() {
        return step;
    }

    /**
     * Returns the reason for the failure, such as the text of the exception that the step's code threw.
     *
     * @return the same text on each replay
     */
    public String why() {
        return why;
    }
}
