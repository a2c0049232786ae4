package io.sagaspring.autoconfigure;

/** What a node does by itself, from the end of its start until it closes. */
interface BackgroundWork {

    /** Refuses the start, at the last moment at which it can be, if this work could not be done. */
    default void requireReady() {}

    void begin();

    /** Begins nothing new. */
    void end();

    /** Waits a moment for what is being done. */
    default void awaitEnd() {}
}
