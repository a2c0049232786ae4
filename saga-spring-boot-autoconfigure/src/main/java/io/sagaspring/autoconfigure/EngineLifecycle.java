package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import org.springframework.context.SmartLifecycle;

/** Starts the keeper before the web server and stops after it, so that no request runs unkept. */
final class EngineLifecycle implements SmartLifecycle {

    /** The web server starts 2,048 before the default phase. */
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

    /** As the web server: who goes on serving must go on keeping. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return BEFORE_THE_WEB_SERVER;
    }
}
