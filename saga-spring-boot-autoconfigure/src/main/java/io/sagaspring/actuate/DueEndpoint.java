package io.sagaspring.actuate;

import io.sagaspring.due.DueWork;
import io.sagaspring.operations.Operator;
import io.sagaspring.operations.WorkOperations;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Lists background work that is parked or has no handler, retries a piece of it, or gives it up. Retrying and giving up
 * are off unless {@code management.endpoint.sagadue.access} is {@code unrestricted}.
 */
@Endpoint(id = "sagadue", defaultAccess = Access.READ_ONLY)
final class DueEndpoint {

    private final DueWork due;
    private final WorkOperations operations;

    public DueEndpoint(DueWork due, WorkOperations operations) {
        this.due = due;
        this.operations = operations;
    }

    /**
     * Background work that is parked or has no handler on this node.
     *
     * @param parked the parked work, longest parked first; it has no attempt left
     * @param more true if more work is parked than the list shows
     * @param unhandled the work that is due and has no handler on this node, longest due first
     * @param moreUnhandled true if more work has no handler than the list shows
     */
    public record Parked(
            List<DueWork.Parked> parked, boolean more, List<DueWork.Unhandled> unhandled, boolean moreUnhandled) {}

    /**
     * Lists the work that is parked, and the work that has no handler on this node. In both lists, the work that has
     * waited longest comes first.
     *
     * @param limit the largest length of each list, at most 1,000; 100 if it is not given
     * @param tenant the tenant of the work, an empty string for work of no tenant, or null for all work
     * @return the work
     */
    @ReadOperation
    public Parked parked(@Nullable Integer limit, @Nullable String tenant) {
        int most = Given.limit(limit);
        List<DueWork.Parked> parked = due.parked(tenant, most + 1);
        List<DueWork.Unhandled> unhandled = due.unhandled(tenant, most + 1);
        return new Parked(
                parked.stream().limit(most).toList(),
                parked.size() > most,
                unhandled.stream().limit(most).toList(),
                unhandled.size() > most);
    }

    /**
     * The result of a retry. This is a record, because JMX cannot return a bare boolean.
     *
     * @param due true if the work was parked and is due again
     */
    public record Retry(boolean due) {}

    /**
     * Makes one parked piece of work due again, with all attempts available.
     *
     * @param id the work's id, as the list shows it
     * @return the result
     */
    @WriteOperation
    public Retry retry(@Selector long id) {
        return retry(id, null, CurrentOperator.UNKNOWN);
    }

    /**
     * Makes one parked piece of work of a tenant due again. The other retry operation does not find work in a tenant's
     * own database. The tenant is part of the path, because Actuator would otherwise take it from the body of the
     * request.
     *
     * @param id the work's id, as the list shows it
     * @param tenant the tenant of the work
     * @return the result
     */
    @WriteOperation
    public Retry retryOf(@Selector long id, @Selector String tenant) {
        return retry(id, tenant, CurrentOperator.UNKNOWN);
    }

    Retry retry(long id, @Nullable String tenant, Operator operator) {
        return new Retry(operations.retry(id, tenant, operator).wasDone());
    }

    /**
     * The result of giving up work.
     *
     * @param removed true if the work was parked or had no handler, and has been removed
     */
    public record GivenUp(boolean removed) {}

    /**
     * Gives up one piece of work that is parked or has no handler. The work is removed without being executed.
     *
     * @param id the work's id, as the list shows it
     * @param tenant the tenant of the work, which is needed if the tenant has a database of its own
     * @return the result
     */
    @DeleteOperation
    public GivenUp giveUp(@Selector long id, @Nullable String tenant) {
        return giveUp(id, tenant, CurrentOperator.UNKNOWN);
    }

    GivenUp giveUp(long id, @Nullable String tenant, Operator operator) {
        return new GivenUp(operations.giveUp(id, tenant, operator).wasDone());
    }
}
