package io.sagaspring.autoconfigure;

/** Work that a node does in the background, from the end of its start-up until it closes. */
interface BackgroundWork {

    /**
     * Throws an exception if this work cannot be done. This method is called late in the start-up, when the start-up
     * can still fail.
     */
    default void requireReady() {}

    /** Starts the work. */
    void begin();

    /** Stops picking up new work. This method may be called more than once. */
    void end();

    /** Waits a limited time until the current work has ended. An implementation can interrupt the work. */
    default void awaitEnd() {}
}
