package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * The claim of a key. The claim's owner ends the claim with {@link #complete} or {@link #fail()}. Until then this node
 * renews the claim, for at most {@code saga.idempotency.max-duration}.
 *
 * @since 0.1.0
 */
public interface KeyClaim {

    /**
     * Returns the claim of a request without an id. The claim protects nothing, and nothing is stored.
     *
     * @return a claim whose {@link #complete} and {@link #fail()} do nothing
     */
    static KeyClaim none() {
        return UnkeyedClaim.ONLY;
    }

    /**
     * Executes the work, and interrupts the work if this node loses the claim or stops renewing the claim.
     *
     * @param work the work
     * @param <T> the type of the work's reply
     * @param <E> the exception of the work
     * @return the work's reply
     * @throws E if the work threw it
     */
    <T extends @Nullable Object, E extends Exception> T during(KeyedWork<T, E> work) throws E;

    /**
     * Stores the reply. From then on, every repeated request gets this reply until the key expires.
     *
     * @param reply the reply
     * @throws SupersededException if another owner has taken over the claim
     */
    void complete(StoredReply reply);

    /**
     * Releases the key, so that the request can be repeated. Does nothing if another owner has taken over the claim.
     */
    void fail();

    /**
     * Releases the key after an exception of the work. If the exception or one of its causes is an {@code
     * OutcomeUnknownException}, the key stays in use instead: the exception is stored, and every repeated request also
     * fails with it.
     *
     * @param thrown the exception of the work
     */
    void fail(Throwable thrown);
}
