package io.sagaspring.listener;

import java.util.function.Consumer;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.SmartApplicationListener;

/**
 * Receives all objects that the application publishes as events, before its other listeners do. Otherwise, a listener
 * that publishes an event of its own would change the order in which the events are stored.
 *
 * @since 0.1.0
 */
public final class PublishedEvents implements SmartApplicationListener {

    private final Consumer<Object> intake;

    /**
     * Creates a receiver.
     *
     * @param intake the consumer that stores an event for its durable listeners
     */
    public PublishedEvents(Consumer<Object> intake) {
        this.intake = intake;
    }

    @Override
    public boolean supportsEventType(Class<? extends ApplicationEvent> type) {
        return PayloadApplicationEvent.class.isAssignableFrom(type);
    }

    /**
     * Returns false, because the publisher's transaction must store the event, and it belongs to the publisher's
     * thread.
     */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof PayloadApplicationEvent<?> published) {
            intake.accept(published.getPayload());
        }
    }
}
