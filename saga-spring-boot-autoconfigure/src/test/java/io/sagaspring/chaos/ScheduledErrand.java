package io.sagaspring.chaos;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.schedule.ScheduleSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A run that a schedule starts. Its only effect names the instant of its firing. */
@RunSchedule(name = ScheduledErrand.SCHEDULE, fixedRate = "200ms")
final class ScheduledErrand implements DurableRun<Firing, @Nullable Void> {

    static final String SCHEDULE = "tick";
    static final Duration RATE = Duration.ofMillis(200);

    private final Supplier<Office> office;

    ScheduledErrand(Supplier<Office> office) {
        this.office = office;
    }

    @Override
    public @Nullable Void run(RunContext run, Firing firing) {
        run.step("tick", () -> office.get().effect(run, firing.at().toString()));
        return null;
    }

    /** The settings of the schedule, with the given rule for overlapping runs. */
    record Settings(Overlap overlap) implements ScheduleSettings {

        @Override
        public Map<String, Of> byName() {
            return Map.of(SCHEDULE, new Of(null, null, null, null, null, null, overlap, null, null));
        }

        @Override
        public String resolve(String text) {
            return text;
        }

        @Override
        public String origin(String property) {
            return "";
        }

        @Override
        public Set<String> queues() {
            return Set.of();
        }

        @Override
        public List<Class<?>> annotated() {
            return List.of();
        }
    }
}
