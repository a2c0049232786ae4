package io.sagaspring.autoconfigure;

import io.sagaspring.due.DueWork;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.JanitorSchedule;

/** The sweeps of janitors, and background work such as after-effects. */
record ClaimsWork(DueWork due, JanitorRegistry registry, JanitorSchedule schedule) implements BackgroundWork {

    @Override
    public void requireReady() {
        registry.requireComplete();
        schedule.requireNextExecutions();
    }

    @Override
    public void begin() {
        registry.start();
        schedule.sweepNow();
        due.start();
    }

    @Override
    public void end() {
        registry.stop();
        due.stop();
    }

    @Override
    public void awaitEnd() {
        due.close();
        registry.awaitObservers();
    }
}
