package io.sagaspring.shop;

/** Code of an application that fails inside a step. */
public final class Bank {

    private Bank() {}

    /** Throws an exception whose cause is the failure of {@link #connect}. */
    public static String pay() {
        try {
            return connect();
        } catch (IllegalStateException failed) {
            throw new IllegalArgumentException("it was not paid", failed);
        }
    }

    /** Fails at once. */
    @SuppressWarnings("DoNotCallSuggester") // Always throws, which is what tests need.
    public static String connect() {
        throw new IllegalStateException("no such bank");
    }
}
