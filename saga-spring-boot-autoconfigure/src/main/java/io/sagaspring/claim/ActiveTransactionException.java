package io.sagaspring.claim;

/**
 * A transaction is active where a claim must commit on its own: it would not see the claim, and had it touched the
 * entity, the two would wait for each other for ever.
 *
 * @since 0.1.0
 */
public final class ActiveTransactionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The refusal. */
    public ActiveTransactionException() {
        super(
                "A step was run inside an active transaction. Its claim must be committed before its action begins, and an"
                        + " outer transaction that has touched the entity would wait for ever. Run it outside: without"
                        + " @Transactional on the caller, and in a test with @Transactional(propagation ="
                        + " Propagation.NOT_SUPPORTED).");
    }
}
