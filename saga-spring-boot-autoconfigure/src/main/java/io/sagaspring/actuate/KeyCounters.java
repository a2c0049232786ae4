package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.KeyEvent;
import io.sagaspring.idempotency.KeyListener;

/** Counts what becomes of keys. Operations are no tags: an expression may make as many as there are ids. */
final class KeyCounters implements MeterBinder, KeyListener {

    private final EventCounters<KeyEvent> counters = new EventCounters<>(
            "saga.idempotency.keys", "What became of idempotency keys, and of who asked for them.", KeyEvent.class);

    /** Counters that are in no registry yet. */
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
