package io.sagaspring.autoconfigure;

import java.util.List;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * Begins work of our own at the end of the refresh, whether or not a SpringApplication runs it, and before any runner: the web
 * server serves by then, and what its requests leave behind has to be picked up. Work ends as soon as the context closes, and
 * before the web server stops.
 */
final class WorkLifecycle implements SmartLifecycle, SmartApplicationListener {

    private final List<BackgroundWork> work;
    private final ApplicationContext context;
    private volatile boolean running;

    WorkLifecycle(List<BackgroundWork> work, ApplicationContext context) {
        this.work = work;
        this.context = context;
    }

    @Override
    public void start() {
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

    /** As the web server: who goes on serving must go on following up. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Behind the web server and all that steps may need, which is stopped after it. */
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
