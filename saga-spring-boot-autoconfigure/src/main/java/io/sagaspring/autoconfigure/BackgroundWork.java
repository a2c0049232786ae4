package io.sagaspring.autoconfigure;

/** Work that a node does on its own, from the end of its start until it closes. */
interface BackgroundWork {

    /** Throws an exception if this work cannot be done. Called at the last moment at which the start can still fail. */
    default void requireReady() {}

    /** Starts the work. */
    void begin();

    /** Stops picking up new work. Called more than once. */
    void end();

    /** Waits a limited time for the current work, and interrupts it then. */
    default void awaitEnd() {}
}
