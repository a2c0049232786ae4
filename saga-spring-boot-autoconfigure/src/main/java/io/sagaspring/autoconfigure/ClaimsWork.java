package io.sagaspring.autoconfigure;

import io.sagaspring.database.DatabaseWork;
import io.sagaspring.database.Databases;
import io.sagaspring.due.DueWork;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.JanitorSchedule;
import java.util.List;

/** The sweeps of janitors, and background work such as after-effects. */
record ClaimsWork(
        DueWork due, JanitorRegistry registry, JanitorSchedule schedule, Databases databases, List<DatabaseWork> works)
        implements BackgroundWork {

    @Override
    public void requireReady() {
        registry.requireComplete();
        schedule.requireNextExecutions();
    }

    @Override
    public void begin() {
        registry.start();
        databases.start(works);
        schedule.sweepNow();
        due.start();
    }

    @Override
    public void end() {
        registry.stop();
        databases.stop();
        due.stop();
    }

    @Override
    public void awaitEnd() {
        due.close();
        databases.awaitEnd();
        registry.awaitObservers();
    }
}
