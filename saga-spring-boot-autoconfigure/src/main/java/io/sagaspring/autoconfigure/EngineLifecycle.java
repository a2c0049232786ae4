package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import java.util.List;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * Starts the keeper before the web server and stops it after, so that no request runs unkept. Work of our own begins when
 * the application is ready, and ends as soon as it closes.
 */
final class EngineLifecycle implements SmartLifecycle, SmartApplicationListener {

    /** The web server starts 2,048 before the default phase. */
    private static final int BEFORE_THE_WEB_SERVER = DEFAULT_PHASE - 4096;

    private final Keeper keeper;
    private final List<OwnWork> work;
    private final ApplicationContext context;
    private volatile boolean running;
    private volatile boolean wasReady;

    EngineLifecycle(Keeper keeper, List<OwnWork> work, ApplicationContext context) {
        this.keeper = keeper;
        this.work = work;
        this.context = context;
    }

    @Override
    public void start() {
        keeper.start();
        running = true;
        if (wasReady) {
            // Stopped and started again: nobody will say a second time that the application is ready.
            work.forEach(OwnWork::begin);
        }
    }

    @Override
    public void stop() {
        work.forEach(OwnWork::end);
        work.forEach(OwnWork::awaitEnd);
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

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return ApplicationReadyEvent.class.isAssignableFrom(type) || ContextClosedEvent.class.isAssignableFrom(type);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof ApplicationReadyEvent ready && ready.getApplicationContext() == context) {
            work.forEach(OwnWork::requireReady);
            wasReady = true;
            work.forEach(OwnWork::begin);
        }
        if (event instanceof ContextClosedEvent closed && closed.getApplicationContext() == context) {
            work.forEach(OwnWork::end);
        }
    }
}
