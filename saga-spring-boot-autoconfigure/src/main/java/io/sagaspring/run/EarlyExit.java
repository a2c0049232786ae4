package io.sagaspring.run;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Exits the code of a run before its end, and remembers the exit. */
final class EarlyExit {

    private @Nullable Unwinding unwinding;

    /** Records the exit, and returns the error for the caller to throw. */
    Unwinding leave(Exit.Unwound exit) {
        unwinding = new Unwinding(exit);
        return unwinding;
    }

    /** Returns the exit, or null if the code was not exited early. */
    Exit.@Nullable Unwound exit() {
        return unwinding == null ? null : unwinding.exit();
    }

    /** Throws the same error again if the code has caught it. */
    void requireNotLeft() {
        if (unwinding != null) {
            throw unwinding;
        }
    }

    /** Calls the store, and exits the code if the call fails. */
    <T> T callStore(Supplier<T> store) {
        try {
            return store.get();
        } catch (FencedException fenced) {
            throw leave(new Exit.Fenced(fenced));
        } catch (RuntimeException failed) {
            throw leave(new Exit.Released("The journal cannot be written.", failed));
        }
    }
}
