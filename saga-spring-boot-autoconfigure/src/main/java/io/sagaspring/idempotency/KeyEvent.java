package io.sagaspring.idempotency;

/**
 * What becomes of a key, and of who asks for it.
 *
 * @since 0.1.0
 */
public enum KeyEvent {
    /** Nobody had it, or who had it has crashed: the work begins. */
    CLAIMED,
    /** The work was done before; its reply is given again. */
    REPLAYED,
    /** Somebody is working on it, and was not waited for any longer. */
    DUPLICATE,
    /** It was used for another request. */
    REUSED,
    /** The work is done, and its reply is stored. */
    COMPLETED,
    /** The work failed, and the request may be made again. */
    FREED,
    /** The work's end came too late: its claim had been taken over. */
    SUPERSEDED
}
