package io.sagaspring.run;

/**
 * Leaves the code of a run. What was to be written is written. It is no exception of the code, which should not catch it;
 * where it does, each further call throws it again.
 */
final class Unwinding extends Error {

    private static final long serialVersionUID = 1L;

    private final transient Exit.Left exit;

    Unwinding(Exit.Left exit) {
        super(exit.why(), exit.cause(), false, false);
        this.exit = exit;
    }

    Exit.Left exit() {
        return exit;
    }
}
