package io.sagaspring.operations;

import io.sagaspring.operations.Audit.Request;
import io.sagaspring.run.QueueControl;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.NoSuchQueueException;
import io.sagaspring.run.queue.QueueLimits;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations on queues.
 *
 * @since 0.1.0
 */
public final class QueueOperations {

    private final Runs runs;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param runs the API that changes the queues of this application
     * @param audit the audit of the operations
     */
    public QueueOperations(Runs runs, Audit audit) {
        this.runs = runs;
        this.audit = audit;
    }

    /**
     * Pauses a queue on all nodes. Runs that are executing continue.
     *
     * @param name the name of the queue
     * @param reason the reason
     * @param operator the person
     * @return the result
     */
    public OperationResult pause(String name, String reason, Operator operator) {
        return perform(
                "queue.pause",
                name,
                reason,
                operator,
                queue -> queue.pause(reason, operator.toString())
                        ? accepted(name, "is paused")
                        : refused(name, "was already paused"));
    }

    /**
     * Resumes a queue on all nodes.
     *
     * @param name the name of the queue
     * @param operator the person
     * @return the result
     */
    public OperationResult resume(String name, Operator operator) {
        return perform(
                "queue.resume",
                name,
                null,
                operator,
                queue -> queue.resume(operator.toString())
                        ? accepted(name, "is resumed")
                        : refused(name, "was not paused"));
    }

    /**
     * Changes the limits for the number of runs that execute at once. The limits for the starts within a period do not
     * change.
     *
     * @param name the name of the queue
     * @param atOnce the largest number of runs that execute at once
     * @param atOnceForEach the largest number of runs of a key that execute at once, or null for no such limit
     * @param reason the reason
     * @param operator the person
     * @return the result
     * @throws InvalidOperationException if the limits cannot work
     */
    public OperationResult limits(
            String name, int atOnce, @Nullable Integer atOnceForEach, String reason, Operator operator) {
        return perform("queue.limits", name, reason, operator, queue -> {
            QueueLimits current = queue.depth().limits();
            queue.limits(limits(atOnce, atOnceForEach, current), reason, operator.toString());
            String forEach = atOnceForEach == null ? "" : ", and at most %s of a key".formatted(atOnceForEach);
            return accepted(name, "executes at most %s runs at once%s".formatted(atOnce, forEach));
        });
    }

    private static QueueLimits limits(int atOnce, @Nullable Integer atOnceForEach, QueueLimits current) {
        try {
            return new QueueLimits(atOnce, atOnceForEach, current.starts(), current.startsForEach());
        } catch (IllegalArgumentException impossible) {
            throw new InvalidOperationException(String.valueOf(impossible.getMessage()), impossible);
        }
    }

    private OperationResult perform(
            String operation,
            String name,
            @Nullable String reason,
            Operator operator,
            Function<QueueControl, OperationResult> change) {
        return audit.perform(new Request(operation, OperationTarget.of("queue", name), operator, reason), () -> {
            try {
                return change.apply(runs.queue(name));
            } catch (NoSuchQueueException unknown) {
                return OperationResult.unknown("This application does not declare a queue '%s'.".formatted(name));
            }
        });
    }

    private static OperationResult accepted(String name, String what) {
        return OperationResult.accepted("The queue '%s' %s.".formatted(name, what));
    }

    private static OperationResult refused(String name, String what) {
        return OperationResult.refused("The queue '%s' %s.".formatted(name, what));
    }
}
