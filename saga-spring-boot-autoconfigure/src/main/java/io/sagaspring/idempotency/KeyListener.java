package io.sagaspring.idempotency;

/**
 * A listener for events of keys, called on the thread of the event. A {@code RuntimeException} of a listener is logged and
 * has no other effect.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface KeyListener {

    /**
     * Receives an event. The completion of a same-transaction key is reported after the commit, and its release after the
     * rollback or the commit.
     *
     * @param key the key
     * @param event the event
     */
    void happened(IdempotencyKey key, KeyEvent event);
}
