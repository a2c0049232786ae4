package io.sagaspring.run;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Leaves the code of one activation before its end, and remembers how. */
final class EarlyExit {

    private @Nullable Unwinding unwinding;

    /** Returns what the caller throws. */
    Unwinding leave(Exit.Left exit) {
        unwinding = new Unwinding(exit);
        return unwinding;
    }

    /** Returns how the code was left, or null if it was not. */
    Exit.@Nullable Left exit() {
        return unwinding == null ? null : unwinding.exit();
    }

    /** Throws the same again, in case the code has caught it. */
    void requireNotLeft() {
        if (unwinding != null) {
            throw unwinding;
        }
    }

    /** Calls the store. Where that fails, the code is left. */
    <T> T asking(Supplier<T> store) {
        try {
            return store.get();
        } catch (FencedException fenced) {
            throw leave(new Exit.Fenced(fenced));
        } catch (RuntimeException failed) {
            throw leave(new Exit.Released("The journal cannot be written.", failed));
        }
    }
}
