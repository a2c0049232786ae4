package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * Leaves the code of a run. What was to be written is written. It is no exception of the code, which should not catch it;
 * where it does, each further call throws it again.
 */
final class Unwinding extends Error {

    private static final long serialVersionUID = 1L;

    /** What is left to do with the run. */
    enum Rest {
        /** It waits, and another one may drive it by now. */
        NOTHING,
        /** It was not to be begun, or could not be written: somebody else may. */
        GIVE_BACK,
        /** This node closes: another one goes on at once, from where it stands. */
        HAND_OVER,
        /** Its journal does not fit. */
        BLOCK,
        /** A person has to say what became of a step. */
        DOUBT
    }

    private final transient Rest rest;

    Unwinding(Rest rest, String why, @Nullable Throwable cause) {
        super(why, cause, false, false);
        this.rest = rest;
    }

    Rest rest() {
        return rest;
    }
}
