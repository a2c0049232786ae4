package io.sagaspring.actuate;

import io.sagaspring.schedule.BackfillResult;
import io.sagaspring.schedule.NoSuchScheduleException;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.ScheduleView;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.schedule.TriggerResult;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Lists, pauses, resumes, triggers and removes schedules, and fires them for instants of the past. Only reading is
 * allowed unless {@code management.endpoint.sagaschedules.access} is {@code unrestricted}.
 */
@Endpoint(id = "sagaschedules", defaultAccess = Access.READ_ONLY)
final class SchedulesEndpoint {

    private static final int NEXT = 5;
    private static final String AN_INSTANT = "Write a time such as 2026-11-25T09:00:00Z.";

    private final Schedules schedules;

    /**
     * Creates the endpoint.
     *
     * @param schedules the API that lists and changes the schedules
     */
    public SchedulesEndpoint(Schedules schedules) {
        this.schedules = schedules;
    }

    /**
     * A list of schedules.
     *
     * @param schedules the schedules, ordered by name
     */
    public record Listed(List<ScheduleView> schedules) {}

    /**
     * Lists all schedules, including those that no node declares any more.
     *
     * @return the schedules
     */
    @ReadOperation
    public Listed list() {
        return new Listed(schedules.list());
    }

    /**
     * A schedule with its next instants.
     *
     * @param schedule the schedule
     * @param next the schedule's next instants, as if the schedule were not paused
     */
    public record Detailed(ScheduleView schedule, List<Instant> next) {}

    /**
     * Returns one schedule with its next instants.
     *
     * @param name the name of the schedule
     * @return the schedule, or null if it is unknown
     */
    @ReadOperation
    public @Nullable Detailed find(@Selector String name) {
        return schedules.list().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .map(view -> new Detailed(view, schedules.next(name, NEXT)))
                .orElse(null);
    }

    /**
     * Pauses, resumes, triggers or backfills a schedule.
     *
     * @param name the name of the schedule
     * @param operation the operation: {@code pause}, {@code resume}, {@code trigger} or {@code backfill}
     * @param reason the reason for a pause; only for {@code pause}
     * @param from the first instant that may fire; only for {@code backfill}
     * @param to the last instant that may fire; only for {@code backfill}
     * @param overlap the rule for runs that would overlap: {@code allow} or {@code queue_one}; only for {@code
     *     backfill}
     * @return the result
     */
    @WriteOperation
    public OperationResult change(
            @Selector String name,
            @Selector String operation,
            @Nullable String reason,
            @Nullable String from,
            @Nullable String to,
            @Nullable String overlap) {
        return change(name, operation, new Details(reason, from, to, overlap), Operator.UNKNOWN);
    }

    /** The parameters of an operation, as the request gives them. */
    record Details(
            @Nullable String reason,
            @Nullable String from,
            @Nullable String to,
            @Nullable String overlap) {}

    OperationResult change(String name, String operation, Details details, String by) {
        try {
            return changed(name, operation, details, by);
        } catch (NoSuchScheduleException none) {
            return unknown(name);
        }
    }

    private OperationResult changed(String name, String operation, Details details, String by) {
        return switch (operation) {
            case "pause" ->
                schedules.pause(name, given(details.reason(), "reason", "Write why you pause the schedule."), by)
                        ? accepted(name, "is paused")
                        : refused(name, "was already paused");
            case "resume" ->
                schedules.resume(name, by) ? accepted(name, "is resumed") : refused(name, "was not paused");
            case "trigger" -> triggered(name, schedules.trigger(name, by));
            case "backfill" -> filled(name, details, by);
            default ->
                throw BadRequest.because(
                        "'%s' is not an operation on a schedule. Write pause, resume, trigger or backfill."
                                .formatted(operation));
        };
    }

    private static OperationResult triggered(String name, TriggerResult result) {
        if (result.run() != null) {
            return accepted(name, "has fired: run %s".formatted(result.run()));
        }
        String message = "The schedule '%s' has not fired. %s".formatted(name, result.because());
        return result.waits() ? OperationResult.accepted(message) : OperationResult.refused(message);
    }

    private OperationResult filled(String name, Details details, String by) {
        Instant from = instant(details.from(), "from");
        Instant to = instant(details.to(), "to");
        Overlap overlap = BadRequest.read(
                given(details.overlap(), "overlap", "Write allow or queue_one."),
                SchedulesEndpoint::overlap,
                "Write allow or queue_one.");
        try {
            BackfillResult result = schedules.backfill(name, from, to, overlap, by);
            return accepted(
                    name,
                    "was backfilled: %d runs started, %d firings wait, %d instants had fired before"
                            .formatted(result.started(), result.waiting(), result.existing()));
        } catch (IllegalArgumentException refused) {
            throw BadRequest.because(String.valueOf(refused.getMessage()));
        }
    }

    private static Overlap overlap(String text) {
        return Arrays.stream(Overlap.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("The parameter 'overlap' has no such value."));
    }

    private static Instant instant(@Nullable String text, String name) {
        return BadRequest.read(
                given(text, name, AN_INSTANT),
                each -> {
                    try {
                        return Instant.parse(each);
                    } catch (DateTimeException noTime) {
                        throw new IllegalArgumentException("This is not a time.", noTime);
                    }
                },
                AN_INSTANT);
    }

    private static String given(@Nullable String text, String name, String remedy) {
        if (text == null || text.isBlank()) {
            throw BadRequest.because("The parameter '%s' is missing. %s".formatted(name, remedy));
        }
        return text;
    }

    /**
     * Removes a schedule that is no longer declared.
     *
     * @param name the name of the schedule
     * @return the result
     */
    @DeleteOperation
    public OperationResult remove(@Selector String name) {
        return remove(name, Operator.UNKNOWN);
    }

    OperationResult remove(String name, String by) {
        try {
            return schedules.remove(name, by) ? accepted(name, "is removed") : unknown(name);
        } catch (IllegalArgumentException declared) {
            return OperationResult.refused(String.valueOf(declared.getMessage()));
        }
    }

    private static OperationResult accepted(String name, String what) {
        return OperationResult.accepted("The schedule '%s' %s.".formatted(name, what));
    }

    private static OperationResult refused(String name, String what) {
        return OperationResult.refused("The schedule '%s' %s.".formatted(name, what));
    }

    private static OperationResult unknown(String name) {
        return OperationResult.unknown(
                "There is no schedule '%s'. It was never declared, or it has been removed.".formatted(name));
    }
}
