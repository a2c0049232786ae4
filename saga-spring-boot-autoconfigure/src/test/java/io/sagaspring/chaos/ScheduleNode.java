package io.sagaspring.chaos;

import io.sagaspring.chaos.Office.Place;
import io.sagaspring.run.RunOptions;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.ScheduleEngine;
import io.sagaspring.shop.Interference.Around;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** A node that fires the schedule of {@link ScheduledErrand}. */
final class ScheduleNode implements AutoCloseable {

    final Office office;
    private final ScheduleEngine engine;

    ScheduleNode(Place place, Around around, Overlap overlap) {
        AtomicReference<Office> self = new AtomicReference<>();
        this.office = new Office(place, around, (run, id, event) -> {}, new ScheduledErrand(self::get));
        self.set(office);
        this.engine = office.schedules(new ScheduledErrand.Settings(overlap));
    }

    ScheduleNode opened() {
        Office unused = office.opened();
        engine.open(office.keeper().loops());
        return this;
    }

    /** Does the work during which the node reaches the crash point. */
    void work(ScheduleCrashPoint point) {
        switch (point.work()) {
            case ALLOW -> {
                ScheduleNode unused = opened();
            }
            case QUEUE_ONE -> {
                // The next instants come while the run is open.
                office.stepHook = step -> LockSupport.parkNanos(
                        ScheduledErrand.RATE.multipliedBy(3).toNanos());
                ScheduleNode unused = opened();
            }
            case BACKFILL -> {
                // All instants before the declaration are without a run, however slow this machine is.
                Instant now = databaseTime();
                int unused = engine.sweep();
                engine.schedules()
                        .backfill(
                                ScheduledErrand.SCHEDULE,
                                now.minus(ScheduledErrand.RATE.multipliedBy(3)),
                                now,
                                Overlap.QUEUE_ONE,
                                "ada");
            }
            case LATER -> {
                var unused = office.runs()
                        .start(
                                Errand.class,
                                "later",
                                RunOptions.withKey("later").andAfter(Duration.ofSeconds(1)));
            }
        }
    }

    private Instant databaseTime() {
        return office.store()
                .findRow(office.runs().start(Answer.class, "now").id())
                .orElseThrow()
                .startedAt();
    }

    @Override
    public void close() {
        engine.close();
        office.close();
    }
}
