package io.sagaspring.actuate;

import io.sagaspring.operations.OperationResult;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.ScheduleOperations;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.ScheduleView;
import io.sagaspring.schedule.Schedules;
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
    private final ScheduleOperations operations;

    /**
     * Creates the endpoint.
     *
     * @param schedules the API that lists the schedules
     * @param operations the operations on schedules
     */
    public SchedulesEndpoint(Schedules schedules, ScheduleOperations operations) {
        this.schedules = schedules;
        this.operations = operations;
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
        return change(name, operation, new Details(reason, from, to, overlap), CurrentOperator.UNKNOWN);
    }

    /** The parameters of an operation, as the request gives them. */
    record Details(
            @Nullable String reason,
            @Nullable String from,
            @Nullable String to,
            @Nullable String overlap) {}

    OperationResult change(String name, String operation, Details details, Operator operator) {
        return switch (operation) {
            case "pause" ->
                operations.pause(
                        name, given(details.reason(), "reason", "Write why you pause the schedule."), operator);
            case "resume" -> operations.resume(name, operator);
            case "trigger" -> operations.trigger(name, operator);
            case "backfill" -> filled(name, details, operator);
            default ->
                throw BadRequest.because(
                        "'%s' is not an operation on a schedule. Write pause, resume, trigger or backfill."
                                .formatted(operation));
        };
    }

    private OperationResult filled(String name, Details details, Operator operator) {
        Instant from = instant(details.from(), "from");
        Instant to = instant(details.to(), "to");
        Overlap overlap = BadRequest.read(
                given(details.overlap(), "overlap", "Write allow or queue_one."),
                SchedulesEndpoint::overlap,
                "Write allow or queue_one.");
        return BadRequest.unless(() -> operations.backfill(name, from, to, overlap, operator));
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
        return remove(name, CurrentOperator.UNKNOWN);
    }

    OperationResult remove(String name, Operator operator) {
        return operations.remove(name, operator);
    }
}
