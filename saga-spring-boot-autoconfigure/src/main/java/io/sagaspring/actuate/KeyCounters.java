package io.sagaspring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.KeyEvent;
import io.sagaspring.idempotency.KeyListener;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what becomes of keys, from zero. Operations are no tags: an expression may make as many as there are ids. */
public final class KeyCounters implements MeterBinder, KeyListener {

    private static final Logger logger = LoggerFactory.getLogger(KeyCounters.class);

    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    /** Counters that are in no registry yet. */
    public KeyCounters() {}

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
        // A registry that refuses a meter must not refuse the start.
        try {
            for (KeyEvent event : KeyEvent.values()) {
                counter(event, registry);
            }
        } catch (RuntimeException failed) {
            logger.warn("Could not register the counters of idempotency keys in {}", registry, failed);
        }
    }

    @Override
    public void happened(IdempotencyKey key, KeyEvent event) {
        registries.forEach(registry -> counter(event, registry).increment());
    }

    private static Counter counter(KeyEvent event, MeterRegistry registry) {
        return Counter.builder("saga.idempotency.keys")
                .description("What became of idempotency keys, and of who asked for them.")
                .tags("event", event.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }
}
