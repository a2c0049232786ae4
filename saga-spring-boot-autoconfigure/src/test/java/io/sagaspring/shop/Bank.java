package io.sagaspring.shop;

/** Code of an application that fails inside a step. */
public final class Bank {

    private Bank() {}

    /** Fails with the earlier failure as its cause. */
    public static String pay() {
        try {
            return connect();
        } catch (IllegalStateException failed) {
            throw new IllegalArgumentException("it was not paid", failed);
        }
    }

    /** Fails at once. */
    @SuppressWarnings("DoNotCallSuggester") // Tests call it because it fails.
    public static String connect() {
        throw new IllegalStateException("no such bank");
    }
}
