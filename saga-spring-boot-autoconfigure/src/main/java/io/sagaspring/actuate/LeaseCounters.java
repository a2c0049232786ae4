package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.lease.LeaseEvent;
import io.sagaspring.lease.LeaseListener;
import io.sagaspring.lease.LeaseName;

/** Counts what becomes of leases on this node. Names are no tags: there are as many as there is work. */
final class LeaseCounters implements MeterBinder, LeaseListener {

    private final EventCounters<LeaseEvent> counters =
            new EventCounters<>("saga.leases", "What became of leases, and of who asked for them.", LeaseEvent.class);

    /** Counters that are in no registry yet. */
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
