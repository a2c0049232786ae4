package io.sagaspring.operations;

import io.sagaspring.listener.Deliveries;
import io.sagaspring.operations.Audit.Request;
import org.jspecify.annotations.Nullable;

/**
 * The operations on deliveries to durable listeners.
 *
 * @since 0.1.0
 */
public final class DeliveryOperations {

    private static final String NO_REASON = "no reason given";

    private final Deliveries deliveries;
    private final Audit audit;

    /**
     * Creates the operations.
     *
     * @param deliveries the deliveries of this application
     * @param audit the audit of the operations
     */
    public DeliveryOperations(Deliveries deliveries, Audit audit) {
        this.deliveries = deliveries;
        this.audit = audit;
    }

    /**
     * Makes a delivery due now, with all attempts available. The delivery must be parked, or wait for its next attempt.
     *
     * @param id the id of the delivery
     * @param operator the person
     * @return the result
     */
    public OperationResult retry(long id, Operator operator) {
        return audit.perform(
                new Request("delivery.retry", OperationTarget.of("delivery", id), operator, null),
                () -> deliveries.retry(id, operator.toString())
                        ? OperationResult.accepted("Delivery %s is due now.".formatted(id))
                        : OperationResult.unknown(
                                "No delivery %s is parked or waits for its next attempt.".formatted(id)));
    }

    /**
     * Gives up a delivery. The event is not delivered, and the next delivery of the same line follows.
     *
     * @param id the id of the delivery
     * @param reason the reason, or null if there is none
     * @param operator the person
     * @return the result
     */
    public OperationResult giveUp(long id, @Nullable String reason, Operator operator) {
        return audit.perform(
                new Request("delivery.give-up", OperationTarget.of("delivery", id), operator, reason),
                () -> deliveries
                                .giveUp(id, reason == null ? NO_REASON : reason, operator.toString())
                                .isPresent()
                        ? OperationResult.accepted("Delivery %s is given up. It was removed.".formatted(id))
                        : OperationResult.unknown(
                                "There is no delivery %s, or a node is calling its listener.".formatted(id)));
    }
}
