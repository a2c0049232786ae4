package io.sagaspring.test.schedule;

import io.sagaspring.schedule.ScheduleStore;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

class MemoryScheduleStoreTests extends ScheduleStoreContract {

    private final ScheduleStore store =
            new MemoryScheduleStore(() -> Instant.now().truncatedTo(ChronoUnit.MICROS));

    @Override
    protected ScheduleStore store() {
        return store;
    }

    /** Returns the same store, because no other process can see the schedules in memory. */
    @Override
    protected ScheduleStore another() {
        return store;
    }
}
