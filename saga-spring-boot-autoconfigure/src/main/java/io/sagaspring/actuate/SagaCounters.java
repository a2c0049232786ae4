package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.saga.SagaEvent;
import io.sagaspring.saga.SagaListener;

/** Counts the events of saga executions on this node. */
final class SagaCounters implements MeterBinder, SagaListener {

    private final EventCounters<SagaEvent.Kind> counters =
            new EventCounters<>("saga.sagas", "Events of saga executions.", SagaEvent.Kind.class);

    public SagaCounters() {}

    @Override
    public void bindTo(MeterRegistry registry) {
        counters.bindTo(registry);
    }

    @Override
    public void happened(SagaEvent event) {
        counters.count(event.kind());
    }
}
