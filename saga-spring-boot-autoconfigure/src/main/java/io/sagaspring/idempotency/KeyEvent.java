package io.sagaspring.idempotency;

/**
 * An event of a key, or of a request with that key.
 *
 * @since 0.1.0
 */
public enum KeyEvent {
    /** The key was free, or its previous owner's lease has ended. The work begins. */
    CLAIMED,
    /** The work was executed already. The stored reply is returned. */
    REPLAYED,
    /** The key is in use. The caller did not wait, or has stopped waiting. */
    DUPLICATE,
    /** The key was used for another request. */
    REUSED,
    /** The work is done, and its reply is stored. */
    COMPLETED,
    /** The work failed, and the request can be repeated. */
    FREED,
    /** The work ended too late: another owner had taken over the claim. */
    SUPERSEDED
}
