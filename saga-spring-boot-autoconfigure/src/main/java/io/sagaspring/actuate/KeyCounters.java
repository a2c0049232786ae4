package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.KeyEvent;
import io.sagaspring.idempotency.KeyListener;

/**
 * Counts the events of idempotency keys. The operation is not a tag, because its name can come from an expression and
 * contain an id. The number of counters would then have no limit.
 */
final class KeyCounters implements MeterBinder, KeyListener {

    private final EventCounters<KeyEvent> counters = new EventCounters<>(
            "saga.idempotency.keys",
            "Events of idempotency keys and of the requests that present them.",
            KeyEvent.class);

    public KeyCounters() {}

    @Override
    public void bindTo(MeterRegistry registry) {
        counters.bindTo(registry);
    }

    @Override
    public void happened(IdempotencyKey key, KeyEvent event) {
        counters.count(event);
    }
}
