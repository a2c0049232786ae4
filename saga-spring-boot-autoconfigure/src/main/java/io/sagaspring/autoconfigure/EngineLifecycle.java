package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the heartbeat keeper before the web server. The keeper ends when Spring closes its bean, after the web server
 * has stopped. The leases of web requests are therefore always renewed.
 */
final class EngineLifecycle implements SmartLifecycle {

    /** A phase before that of the web server, which starts in phase {@code DEFAULT_PHASE - 2048}. */
    private static final int BEFORE_THE_WEB_SERVER = DEFAULT_PHASE - 4096;

    private final Keeper keeper;
    private volatile boolean running;

    EngineLifecycle(Keeper keeper) {
        this.keeper = keeper;
    }

    @Override
    public void start() {
        keeper.start();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns false, like the web server: while the server handles requests, their leases must be renewed. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return BEFORE_THE_WEB_SERVER;
    }
}
