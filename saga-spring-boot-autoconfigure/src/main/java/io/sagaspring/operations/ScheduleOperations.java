package io.sagaspring.operations;

import io.sagaspring.operations.Audit.Request;
import io.sagaspring.schedule.BackfillResult;
import io.sagaspring.schedule.NoSuchScheduleException;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.schedule.TriggerResult;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operations on schedules.
 *
 * @since 0.1.0
 */
public final class ScheduleOperations {

    private final Schedules schedules;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param schedules the API that changes the schedules
     * @param audit the audit of the operations
     */
    public ScheduleOperations(Schedules schedules, Audit audit) {
        this.schedules = schedules;
        this.audit = audit;
    }

    /**
     * Pauses a schedule on all nodes.
     *
     * @param name the name of the schedule
     * @param reason the reason
     * @param operator the person
     * @return the result
     */
    public OperationResult pause(String name, String reason, Operator operator) {
        return perform(
                "schedule.pause",
                name,
                reason,
                operator,
                () -> schedules.pause(name, reason, operator.toString())
                        ? accepted(name, "is paused")
                        : refused(name, "was already paused"));
    }

    /**
     * Resumes a schedule on all nodes.
     *
     * @param name the name of the schedule
     * @param operator the person
     * @return the result
     */
    public OperationResult resume(String name, Operator operator) {
        return perform(
                "schedule.resume",
                name,
                null,
                operator,
                () -> schedules.resume(name, operator.toString())
                        ? accepted(name, "is resumed")
                        : refused(name, "was not paused"));
    }

    /**
     * Fires a schedule now.
     *
     * @param name the name of the schedule
     * @param operator the person
     * @return the result
     */
    public OperationResult trigger(String name, Operator operator) {
        return perform(
                "schedule.trigger",
                name,
                null,
                operator,
                () -> triggered(name, schedules.trigger(name, operator.toString())));
    }

    private static OperationResult triggered(String name, TriggerResult result) {
        if (result.run() != null) {
            return accepted(name, "has fired: run %s".formatted(result.run()));
        }
        String message = "The schedule '%s' has not fired. %s".formatted(name, result.because());
        return result.waits() ? OperationResult.accepted(message) : OperationResult.refused(message);
    }

    /**
     * Fires a schedule for instants of the past.
     *
     * @param name the name of the schedule
     * @param from the first instant that may fire
     * @param to the last instant that may fire
     * @param overlap the rule for runs that would overlap
     * @param operator the person
     * @return the result
     * @throws InvalidOperationException if the schedule cannot be backfilled for these instants
     */
    public OperationResult backfill(String name, Instant from, Instant to, Overlap overlap, Operator operator) {
        return perform("schedule.backfill", name, null, operator, () -> {
            try {
                BackfillResult result = schedules.backfill(name, from, to, overlap, operator.toString());
                return accepted(
                        name,
                        "was backfilled: %s runs started, %s firings wait, %s instants had fired before"
                                .formatted(result.started(), result.waiting(), result.existing()));
            } catch (IllegalArgumentException refused) {
                throw new InvalidOperationException(String.valueOf(refused.getMessage()), refused);
            }
        });
    }

    /**
     * Removes a schedule that is no longer declared.
     *
     * @param name the name of the schedule
     * @param operator the person
     * @return the result
     */
    public OperationResult remove(String name, Operator operator) {
        return perform("schedule.remove", name, null, operator, () -> {
            try {
                return schedules.remove(name, operator.toString()) ? accepted(name, "is removed") : unknown(name);
            } catch (IllegalArgumentException declared) {
                return OperationResult.refused(String.valueOf(declared.getMessage()));
            }
        });
    }

    private OperationResult perform(
            String operation,
            String name,
            @Nullable String reason,
            Operator operator,
            Supplier<OperationResult> change) {
        return audit.perform(new Request(operation, OperationTarget.of("schedule", name), operator, reason), () -> {
            try {
                return change.get();
            } catch (NoSuchScheduleException none) {
                return unknown(name);
            }
        });
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
