package io.sagaspring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counters that start at zero, one for each kind of event in each registry. */
final class EventCounters<E extends Enum<E>> {

    private static final Logger logger = LoggerFactory.getLogger(EventCounters.class);

    private final String name;
    private final String description;
    private final Class<E> events;
    private final String tag;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    EventCounters(String name, String description, Class<E> events) {
        this(name, description, events, "event");
    }

    EventCounters(String name, String description, Class<E> events, String tag) {
        this.name = name;
        this.description = description;
        this.events = events;
        this.tag = tag;
    }

    void bindTo(MeterRegistry registry) {
        registries.add(registry);
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            for (E event : events.getEnumConstants()) {
                counter(event, registry);
            }
        } catch (RuntimeException failed) {
            logger.warn("Could not register the counters '{}' in {}", name, registry, failed);
        }
    }

    void count(E event) {
        registries.forEach(registry -> counter(event, registry).increment());
    }

    private Counter counter(E event, MeterRegistry registry) {
        return Counter.builder(name)
                .description(description)
                .tags(tag, event.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }
}
