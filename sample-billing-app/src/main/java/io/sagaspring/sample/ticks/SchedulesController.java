package io.sagaspring.sample.ticks;

import io.sagaspring.sample.web.NotFoundException;
import io.sagaspring.sample.web.Storable;
import io.sagaspring.schedule.NoSuchScheduleException;
import io.sagaspring.schedule.ScheduleView;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.schedule.TriggerResult;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/schedules")
class SchedulesController {

    /**
     * The person who changes or triggers a schedule. The sample has no authentication. Your own application names the
     * authenticated user here.
     */
    private static final String SOMEBODY = "a visitor";

    private final Schedules schedules;

    SchedulesController(Schedules schedules) {
        this.schedules = schedules;
    }

    record Schedule(
            String name, @Nullable Instant next, @Nullable Instant last, boolean paused) {

        static Schedule of(ScheduleView view) {
            return new Schedule(view.name(), view.next(), view.last(), view.paused());
        }
    }

    record Pause(@NotBlank @Storable @Size(max = 500) String reason) {}

    /**
     * The answer to a trigger.
     *
     * @param runId the run that was started, or null
     * @param because the reason why no run was started, or null
     */
    record Triggered(@Nullable String runId, @Nullable String because) {

        static Triggered of(TriggerResult result) {
            return new Triggered(result.run() == null ? null : result.run().toString(), result.because());
        }
    }

    @GetMapping
    List<Schedule> all() {
        return schedules.list().stream().map(Schedule::of).toList();
    }

    @PostMapping("/{name}/pause")
    Schedule pause(@PathVariable String name, @RequestBody @Valid Pause pause) {
        return changed(name, () -> schedules.pause(name, pause.reason(), SOMEBODY));
    }

    @PostMapping("/{name}/resume")
    Schedule resume(@PathVariable String name) {
        return changed(name, () -> schedules.resume(name, SOMEBODY));
    }

    @PostMapping("/{name}/trigger")
    Triggered trigger(@PathVariable String name) {
        return Triggered.of(known(name, () -> schedules.trigger(name, SOMEBODY)));
    }

    /** Makes the change and returns the schedule, even if the schedule already was as requested. */
    private Schedule changed(String name, Supplier<Boolean> change) {
        Boolean unused = known(name, change);
        return all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> NotFoundException.of("schedule", name));
    }

    private static <T> T known(String name, Supplier<T> call) {
        try {
            return call.get();
        } catch (NoSuchScheduleException unknown) {
            throw NotFoundException.of("schedule", name);
        }
    }
}
