package io.sagaspring.actuate;

import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DeliveryView;
import io.sagaspring.listener.ListenerBacklog;
import io.sagaspring.operations.DeliveryOperations;
import io.sagaspring.operations.Operator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Lists the deliveries of durable listeners, retries one, or gives it up. Retrying and giving up are off unless
 * {@code management.endpoint.sagadeliveries.access} is {@code unrestricted}.
 */
@Endpoint(id = "sagadeliveries", defaultAccess = Access.READ_ONLY)
final class DeliveriesEndpoint {

    private final Deliveries deliveries;
    private final DeliveryOperations operations;

    /**
     * Creates the endpoint.
     *
     * @param deliveries the deliveries of this application
     * @param operations the operations on deliveries
     */
    public DeliveriesEndpoint(Deliveries deliveries, DeliveryOperations operations) {
        this.deliveries = deliveries;
        this.operations = operations;
    }

    /**
     * Deliveries, and a summary of each listener that has any.
     *
     * @param deliveries the deliveries, oldest first
     * @param more true if there are more deliveries than the list shows
     * @param listeners the listeners that have deliveries, including those that this node does not have
     */
    public record Found(List<DeliveryView> deliveries, boolean more, List<ListenerBacklog> listeners) {}

    /**
     * Lists deliveries.
     *
     * @param listener the id of the listener, or null for all
     * @param key the key, or null for all
     * @param state the state; parked if it is not given
     * @param tenant the tenant, an empty string for deliveries without a tenant, or null for all
     * @param limit the largest length of the list, at most 1,000; 100 if it is not given
     * @return the deliveries
     */
    @ReadOperation
    public Found find(
            @Nullable String listener,
            @Nullable String key,
            @Nullable DeliveryState state,
            @Nullable String tenant,
            @Nullable Integer limit) {
        int most = Given.limit(limit);
        List<DeliveryView> found = deliveries.find(new DeliveryQuery(
                Given.text("listener", listener),
                Given.text("key", key),
                Given.text("tenant", tenant),
                state == null ? DeliveryState.PARKED : state,
                most + 1));
        return new Found(found.stream().limit(most).toList(), found.size() > most, deliveries.backlog());
    }

    /**
     * The result of a retry. This is a record, because JMX cannot return a bare boolean.
     *
     * @param due true if the delivery is due now
     */
    public record Retry(boolean due) {}

    /**
     * Makes a delivery due now, with all attempts available. The delivery must be parked, or wait for its next attempt.
     *
     * @param id the id of the delivery, as the list shows it
     * @return the result
     */
    @WriteOperation
    public Retry retry(@Selector long id) {
        return retry(id, CurrentOperator.UNKNOWN);
    }

    Retry retry(long id, Operator operator) {
        return new Retry(operations.retry(id, operator).wasDone());
    }

    /**
     * The result of giving up a delivery.
     *
     * @param removed true if the delivery has been removed
     */
    public record GivenUp(boolean removed) {}

    /**
     * Gives up a delivery. The event is not delivered, and the next delivery of the same line follows.
     *
     * @param id the id of the delivery, as the list shows it
     * @param reason the reason, for the log
     * @return the result
     */
    @DeleteOperation
    public GivenUp giveUp(@Selector long id, @Nullable String reason) {
        return giveUp(id, reason, CurrentOperator.UNKNOWN);
    }

    GivenUp giveUp(long id, @Nullable String reason, Operator operator) {
        return new GivenUp(operations.giveUp(id, reason, operator).wasDone());
    }
}
