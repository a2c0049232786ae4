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

    /** Throws the root cause of the failure. */
    @SuppressWarnings("DoNotCallSuggester") // Always throws an exception, because the tests need one.
    public static String connect() {
        throw new IllegalStateException("no such bank");
    }
}
