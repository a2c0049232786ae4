package io.sagaspring.run;

/**
 * Exits the code of a run. Everything that must be stored has already been stored. This class is an {@link Error},
 * because the code should not catch it. If the code does catch it, each further call throws it again.
 */
final class Unwinding extends Error {

    private static final long serialVersionUID = 1L;

    private final transient Exit.Unwound exit;

    Unwinding(Exit.Unwound exit) {
        super(exit.why(), exit.cause(), false, false);
        this.exit = exit;
    }

    Exit.Unwound exit() {
        return exit;
    }
}
