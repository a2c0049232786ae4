package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.run.RunEvent;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;

/** Counts the events of runs on this node. */
final class RunCounters implements MeterBinder, RunListener {

    private final EventCounters<RunEvent> counters =
            new EventCounters<>("saga.runs", "Events of durable runs.", RunEvent.class);

    /** Creates counters that are not registered yet. */
    public RunCounters() {}

    @Override
    public void bindTo(MeterRegistry registry) {
        counters.bindTo(registry);
    }

    @Override
    public void happened(String run, RunId id, RunEvent event) {
        counters.count(event);
    }

    @Override
    public boolean needsTenant() {
        return false;
    }
}
