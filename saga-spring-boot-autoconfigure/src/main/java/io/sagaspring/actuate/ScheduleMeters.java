package io.sagaspring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.schedule.ScheduleListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the firings and the skipped instants of schedules on this node, and shows how many schedules are paused. */
final class ScheduleMeters implements MeterBinder, ScheduleListener {

    private static final Logger logger = LoggerFactory.getLogger(ScheduleMeters.class);

    private final Survey<ScheduleFacts> survey;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    /**
     * Creates meters that are not registered yet.
     *
     * @param survey the survey that queries the schedules in the database
     */
    public ScheduleMeters(Survey<ScheduleFacts> survey) {
        this.survey = survey;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            Gauge.builder("saga.schedules.paused", this::paused)
                    .description("Number of paused schedules, on all nodes. Read from the database at intervals.")
                    .register(registry);
        } catch (RuntimeException failed) {
            logger.warn("Could not register the gauge of schedules in {}", registry, failed);
        }
    }

    private double paused() {
        ScheduleFacts known = survey.latest();
        return known == null
                ? Double.NaN
                : known.schedules().stream().filter(each -> each.paused()).count();
    }

    @Override
    public void fired(String schedule, Duration lag) {
        registries.forEach(registry -> Timer.builder("saga.schedules.lag")
                .description(
                        "Time from the instant of a schedule to the start of its run. The count of this timer is the number of firings.")
                .tag("schedule", schedule)
                .register(registry)
                .record(lag));
    }

    @Override
    public void skipped(String schedule, int missed, int overlapped) {
        registries.forEach(registry -> {
            count(registry, schedule, "missed", missed);
            count(registry, schedule, "overlap", overlapped);
        });
    }

    private static void count(MeterRegistry registry, String schedule, String because, int count) {
        if (count > 0) {
            Counter.builder("saga.schedules.skipped")
                    .description("Instants at which a schedule did not fire.")
                    .tags("schedule", schedule, "because", because)
                    .register(registry)
                    .increment(count);
        }
    }
}
