package io.sagaspring.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * A key that is the caller's, who ends it by {@link #complete} or {@link #fail()}. Until then it is kept alive.
 *
 * @since 0.1.0
 */
public interface KeyClaim {

    /**
     * The claim of a request without an id. Nothing protects it, and nothing is stored.
     *
     * @return a claim whose ends do nothing
     */
    static KeyClaim none() {
        return UnkeyedClaim.ONLY;
    }

    /**
     * Does the work, which is interrupted should the claim be lost meanwhile.
     *
     * @param work what the key was claimed for
     * @param <T> what it replies
     * @param <E> what it may throw
     * @return its reply
     * @throws E what it threw
     */
    <T extends @Nullable Object, E extends Exception> T during(KeyedWork<T, E> work) throws E;

    /**
     * Stores the reply, which every repetition of the request is given from now on.
     *
     * @param reply what to replay
     * @throws SupersededException if the claim was taken over meanwhile
     */
    void complete(StoredReply reply);

    /** Gives the key up: the request may be made again. A claim that was taken over stays as it is. */
    void fail();

    /**
     * Gives the key up because of what the work has thrown, unless that says that nobody can tell whether it took effect:
     * every repetition is then told so, too.
     *
     * @param thrown what the work has thrown
     */
    void fail(Throwable thrown);
}
