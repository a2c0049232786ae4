package io.sagaspring.shop;

import java.net.ConnectException;

/** Application code that fails. Tests look for its stack frames. */
public final class Courier {

    private Courier() {}

    public static Object ship() {
        try {
            return call();
        } catch (ConnectException refused) {
            throw new IllegalStateException("no courier", refused);
        }
    }

    @SuppressWarnings("DoNotCallSuggester") // Always throws an exception, because the tests need one.
    public static Object recall() {
        throw new IllegalStateException("nothing is recalled");
    }

    private static Object call() throws ConnectException {
        throw new ConnectException("courier:443 refused");
    }
}
