package io.sagaspring.operations;

import io.sagaspring.due.DueWork;
import io.sagaspring.operations.Audit.Request;
import org.jspecify.annotations.Nullable;

/**
 * The operations on background work, such as after-effects.
 *
 * @since 0.1.0
 */
public final class WorkOperations {

    private final DueWork due;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param due the background work
     * @param audit the audit of the operations
     */
    public WorkOperations(DueWork due, Audit audit) {
        this.due = due;
        this.audit = audit;
    }

    /**
     * Makes one parked piece of work due again, with all attempts available.
     *
     * @param id the work's id
     * @param tenant the tenant of the work, which is needed if the tenant has a database of its own
     * @param operator the person
     * @return the result
     */
    public OperationResult retry(long id, @Nullable String tenant, Operator operator) {
        return audit.perform(
                new Request("work.retry", target(id, tenant), operator, null),
                () -> due.retry(id, tenant, operator.toString())
                        ? OperationResult.accepted("Work %s is due again.".formatted(id))
                        : OperationResult.unknown("No work %s is parked.".formatted(id)));
    }

    /**
     * Gives up one piece of work that is parked or has no handler. The work is removed without being executed.
     *
     * @param id the work's id
     * @param tenant the tenant of the work, which is needed if the tenant has a database of its own
     * @param operator the person
     * @return the result
     */
    public OperationResult giveUp(long id, @Nullable String tenant, Operator operator) {
        return audit.perform(
                new Request("work.give-up", target(id, tenant), operator, null),
                () -> due.giveUp(id, tenant, operator.toString()).isPresent()
                        ? OperationResult.accepted("Work %s is given up. It was removed.".formatted(id))
                        : OperationResult.unknown("No work %s is parked or has no handler.".formatted(id)));
    }

    private static OperationTarget target(long id, @Nullable String tenant) {
        return new OperationTarget("work", Long.toString(id), tenant);
    }
}
