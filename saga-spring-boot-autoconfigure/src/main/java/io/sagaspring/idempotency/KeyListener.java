package io.sagaspring.idempotency;

/**
 * Is told what becomes of keys, on the thread where it happens. What it throws is logged, and changes nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface KeyListener {

    /**
     * Something has become of a key. What is written with a transaction is told when that is committed.
     *
     * @param key the key
     * @param event what became of it
     */
    void happened(IdempotencyKey key, KeyEvent event);
}
