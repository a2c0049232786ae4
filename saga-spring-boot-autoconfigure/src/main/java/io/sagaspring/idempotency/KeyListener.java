package io.sagaspring.idempotency;

/**
 * Listens to events of keys. A listener is called on the thread that causes the event. A {@code RuntimeException} of a
 * listener is logged and has no other effect.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface KeyListener {

    /**
     * Receives an event. The completion of a same-transaction key is reported after the commit. The release of such a
     * key is reported after the rollback, or after the commit if the work returned a failure. If the outcome of the
     * transaction is unknown, neither is reported.
     *
     * @param key the key
     * @param event the event
     */
    void happened(IdempotencyKey key, KeyEvent event);
}
