package io.sagaspring.autoconfigure;

import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * Starts and stops the library's background work.
 *
 * <p>The work starts at the end of the context's refresh, with or without a {@code SpringApplication}, and before any
 * {@code ApplicationRunner}. At that time the web server already handles requests, so the background work that these
 * requests create has to be picked up.
 *
 * <p>As soon as the context closes, no more work is picked up. {@link #stop} then waits for the current work, before
 * the web server drains its requests and stops.
 */
final class WorkLifecycle implements SmartLifecycle, SmartApplicationListener {

    private final Supplier<List<BackgroundWork>> beans;
    private final ApplicationContext context;
    private volatile List<BackgroundWork> work = List.of();
    private volatile boolean running;

    /**
     * Creates the lifecycle.
     *
     * @param beans the supplier of the work, called only when all beans exist. This listener is created as soon as any
     *     bean publishes an event, and the work may depend on that bean.
     */
    WorkLifecycle(Supplier<List<BackgroundWork>> beans, ApplicationContext context) {
        this.beans = beans;
        this.context = context;
    }

    @Override
    public void start() {
        work = beans.get();
        running = true;
        work.forEach(BackgroundWork::begin);
    }

    @Override
    public void stop() {
        work.forEach(BackgroundWork::end);
        work.forEach(BackgroundWork::awaitEnd);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /**
     * Returns false, like the web server: while the server handles requests, the background work that these requests
     * create must be picked up.
     */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /**
     * Returns the last phase, so that this lifecycle starts after the web server and everything that steps may need,
     * and stops before them.
     */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return ApplicationReadyEvent.class.isAssignableFrom(type) || ContextClosedEvent.class.isAssignableFrom(type);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof ApplicationReadyEvent ready && ready.getApplicationContext() == context) {
            work.forEach(BackgroundWork::requireReady);
        }
        if (event instanceof ContextClosedEvent closed && closed.getApplicationContext() == context) {
            work.forEach(BackgroundWork::end);
        }
    }
}
