package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.lease.LeaseEvent;
import io.sagaspring.lease.LeaseListener;
import io.sagaspring.lease.LeaseName;

/**
 * Counts the events of leases on this node. The name of a lease is not a tag, because the number of names has no limit.
 */
final class LeaseCounters implements MeterBinder, LeaseListener {

    private final EventCounters<LeaseEvent> counters = new EventCounters<>(
            "saga.leases", "Events of leases and of the callers that try to acquire them.", LeaseEvent.class);

    public LeaseCounters() {}

    @Override
    public void bindTo(MeterRegistry registry) {
        counters.bindTo(registry);
    }

    @Override
    public void happened(LeaseName name, LeaseEvent event) {
        counters.count(event);
    }
}
