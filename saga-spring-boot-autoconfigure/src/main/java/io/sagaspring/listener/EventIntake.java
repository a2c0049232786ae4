package io.sagaspring.listener;

import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.listener.DeliveryStore.Addressee;
import io.sagaspring.listener.DeliveryStore.Publication;
import io.sagaspring.run.CarriedContext;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.StoredValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Stores a published event, once for each of its listeners. */
final class EventIntake {

    private final DeliveryStore store;
    private final CarriedContext context;
    private final Payloads payloads;
    private final DeliveryObserver notifier;
    private final Consumer<String> wake;

    EventIntake(
            DeliveryStore store,
            CarriedContext context,
            Payloads payloads,
            DeliveryObserver notifier,
            Consumer<String> wake) {
        this.store = store;
        this.context = context;
        this.payloads = payloads;
        this.notifier = notifier;
        this.wake = wake;
    }

    void publish(Object event, List<ListenerMethod> listeners) {
        String tenant = context.tenant();
        StoredValue payload = written(event, listeners);
        List<Addressee> addressees = listeners.stream()
                .map(each -> addressee(each, tenant, each.keyOf(event)))
                .toList();
        boolean inTransaction =
                TransactionPhase.isActive() && TransactionSynchronizationManager.isSynchronizationActive();
        store.publish(new Publication(event.getClass().getName(), tenant, payload, context.captured(null), addressees));
        Runnable published = () -> listeners.forEach(each -> {
            notifier.happened(each.id(), DeliveryEvent.PUBLISHED, null);
            wake.accept(each.id());
        });
        if (inTransaction) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    published.run();
                }
            });
        } else {
            published.run();
        }
    }

    private static Addressee addressee(ListenerMethod listener, @Nullable String tenant, @Nullable String key) {
        return new Addressee(
                listener.id(), listener.event().getName(), key == null ? Lines.any() : Lines.of(tenant, key), key);
    }

    /**
     * Serializes the event. Throws an exception if a listener would not get an event of the same class, because the
     * delivery would fail later.
     */
    private StoredValue written(Object event, List<ListenerMethod> listeners) {
        StoredValue written = payloads.write(event);
        Map<Class<?>, ListenerMethod> types = new LinkedHashMap<>();
        listeners.forEach(each -> types.putIfAbsent(each.event(), each));
        types.forEach((type, listener) -> {
            Object read = payloads.read(written, type);
            Class<?> found = read == null ? null : read.getClass();
            if (found != event.getClass()) {
                throw new IllegalArgumentException(
                        "The event %s was not published, because the durable listener '%s' would get it as %s. Declare the class of the event as the listener's parameter, or record the class with @JsonTypeInfo."
                                .formatted(
                                        event.getClass().getName(),
                                        listener.id(),
                                        found == null ? "null" : found.getName()));
            }
        });
        return written;
    }
}
