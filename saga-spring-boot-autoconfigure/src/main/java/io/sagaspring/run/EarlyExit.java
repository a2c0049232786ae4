package io.sagaspring.run;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Exits the code of a run before the code ends, and remembers the {@link Exit} with the reason. */
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

    /** If the code was exited early but has caught the error, throws the same error again. */
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
            throw leave(new Exit.Released("The run's data could not be read or written.", failed));
        }
    }
}
