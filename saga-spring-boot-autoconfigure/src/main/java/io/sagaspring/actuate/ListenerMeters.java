package io.sagaspring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DeliveryEvent;
import io.sagaspring.listener.DeliveryObserver;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what happens to the deliveries of durable listeners on this node, and shows the deliveries that wait. */
final class ListenerMeters implements MeterBinder, DeliveryObserver {

    private static final Logger logger = LoggerFactory.getLogger(ListenerMeters.class);

    private final Survey<ListenerFacts> survey;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    /**
     * Creates meters that are not registered yet.
     *
     * @param survey the survey that counts the deliveries
     */
    public ListenerMeters(Survey<ListenerFacts> survey) {
        this.survey = survey;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            Gauge.builder("saga.listeners.parked", this::parked)
                    .description("Number of parked deliveries, on all nodes. Read from the database at intervals.")
                    .register(registry);
            BacklogGauges.bind(registry, "saga.listeners", "deliveries to durable listeners", () -> {
                ListenerFacts known = survey.latest();
                return known == null ? null : known.due();
            });
        } catch (RuntimeException failed) {
            logger.warn("Could not register the gauges of durable listeners in {}", registry, failed);
        }
    }

    private double parked() {
        ListenerFacts known = survey.latest();
        return known == null ? Double.NaN : known.parked();
    }

    @Override
    public void happened(String listener, DeliveryEvent event, @Nullable Delivery delivery) {
        registries.forEach(registry -> Counter.builder("saga.listeners.deliveries")
                .description("Events of deliveries to durable listeners on this node.")
                .tags("listener", listener, "event", event.name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment());
    }
}
