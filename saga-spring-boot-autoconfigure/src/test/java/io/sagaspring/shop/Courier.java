package io.sagaspring.shop;

import java.net.ConnectException;

/** Code of an application that fails: its frames are what people look for. */
public final class Courier {

    private Courier() {}

    public static Object ship() {
        try {
            return call();
        } catch (ConnectException refused) {
            throw new IllegalStateException("no courier", refused);
        }
    }

    @SuppressWarnings("DoNotCallSuggester") // It fails, as it is meant to.
    public static Object recall() {
        throw new IllegalStateException("nothing is recalled");
    }

    private static Object call() throws ConnectException {
        throw new ConnectException("courier:443 refused");
    }
}
