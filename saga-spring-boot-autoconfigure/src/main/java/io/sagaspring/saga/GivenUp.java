package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/** Thrown if a step failed permanently. */
final class GivenUp extends Exception {

    private static final long serialVersionUID = 1L;

    private final String step;
    private final transient StepError error;
    private final boolean isCompensated;

    GivenUp(String step, StepError error, boolean isCompensated, @Nullable Throwable cause) {
        super(step, cause, false, false);
        this.step = step;
        this.error = error;
        this.isCompensated = isCompensated;
    }

    String step() {
        return step;
    }

    StepError error() {
        return error;
    }

    /** Returns true if there are effects to compensate. */
    boolean isCompensated() {
        return isCompensated;
    }
}
