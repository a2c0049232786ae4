package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.run.RunEvent;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunNotice;
import io.sagaspring.run.StepTimeoutException;

/** Counts the events of runs on this node, and the failed attempts after which a step is attempted again. */
final class RunCounters implements MeterBinder, RunListener {

    private final EventCounters<RunEvent> events =
            new EventCounters<>("saga.runs", "Events of durable runs.", RunEvent.class);
    private final EventCounters<Attempt> attempts = new EventCounters<>(
            "saga.runs.attempts", "Failed attempts after which the step is attempted again.", Attempt.class, "outcome");

    /** The outcome of an attempt that is followed by another attempt. */
    private enum Attempt {
        FAILED,
        TIMED_OUT
    }

    public RunCounters() {}

    @Override
    public void bindTo(MeterRegistry registry) {
        events.bindTo(registry);
        attempts.bindTo(registry);
    }

    @Override
    public void happened(String run, RunId id, RunEvent event) {
        events.count(event);
    }

    @Override
    public void happened(RunNotice notice) {
        events.count(notice.event());
        if (notice.event() == RunEvent.RETRYING) {
            attempts.count(notice.failure() instanceof StepTimeoutException ? Attempt.TIMED_OUT : Attempt.FAILED);
        }
    }

    @Override
    public boolean needsTenant() {
        return false;
    }
}
