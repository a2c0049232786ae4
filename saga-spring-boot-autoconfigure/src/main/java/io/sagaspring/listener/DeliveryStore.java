package io.sagaspring.listener;

import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.run.StoredValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stores deliveries. The rows of one listener with the same line follow each other: only the head of a line, which is its row with the
 * lowest id, can be picked up, and only if no other row of the line is held. {@code DeliveryStoreContract} in
 * {@code saga-spring-boot-test} contains the tests that every store must pass.
 *
 * @since 0.1.0
 */
public interface DeliveryStore {

    /**
     * An event for its listeners.
     *
     * @param name the class of the event, for messages
     * @param tenant the tenant of the publisher, or null
     * @param payload the event
     * @param carried the context of the publisher, or null
     * @param addressees the listeners, at least one
     */
    record Publication(
            String name,
            @Nullable String tenant,
            StoredValue payload,
            @Nullable StoredValue carried,
            List<Addressee> addressees) {}

    /**
     * A listener of an event.
     *
     * @param listener the id of the listener
     * @param event the event type that the listener declares, for display
     * @param line the line in which the delivery waits
     * @param orderKey the key, for display, or null
     */
    record Addressee(
            String listener,
            String event,
            long line,
            @Nullable String orderKey) {}

    /**
     * A delivery that a node has picked up.
     *
     * @param delivery the delivery, with its new token
     * @param tenant the tenant of the publisher, or null
     * @param payload the event
     * @param carried the context of the publisher, or null
     * @param parked true if the delivery was parked instead, because its last attempt has neither succeeded nor failed
     */
    record PickedUp(
            Delivery delivery,
            @Nullable String tenant,
            StoredValue payload,
            @Nullable StoredValue carried,
            boolean parked) {

        HeldLease held() {
            return new HeldLease(delivery.listener(), Long.toString(delivery.id()), delivery.token());
        }
    }

    /** The result of {@link DeliveryStore#done}. */
    enum Ended {
        /** The delivery is removed, and its line is empty. */
        DONE,
        /** The delivery is removed, and others of its line follow. */
        OTHERS_FOLLOW,
        /** Another node has picked the delivery up, or a person has decided about it. Nothing was changed. */
        LOST
    }

    /**
     * Stores an event once for each of its listeners, in the caller's transaction if there is one.
     *
     * @param publication the event
     * @throws IllegalStateException if the caller's transaction cannot include the event
     */
    void publish(Publication publication);

    /**
     * Returns the time until the next delivery of a listener can begin.
     *
     * @param listener the id of the listener
     * @param within the time to look ahead
     * @return zero or negative if a delivery can begin now, empty if none can begin within the given time
     */
    Optional<Duration> untilDue(String listener, Duration within);

    /**
     * Picks up deliveries of a listener, at most one of each line. The pickup counts the attempt, so a delivery that
     * kills its node is parked after its last attempt.
     *
     * @param listener the id of the listener
     * @param slots the maximum number of deliveries to pick up
     * @param attempts the number of attempts before a delivery is parked
     * @return the deliveries that were picked up or parked, each with a new token
     */
    List<PickedUp> pick(String listener, int slots, int attempts);

    /**
     * Returns true if {@link #done} takes part in the caller's transaction. Only then can listeners be transactional.
     *
     * @return false unless a store says otherwise
     */
    default boolean joinsTransactions() {
        return false;
    }

    /**
     * Removes a delivery that has succeeded. In a store that joins transactions, the removal is committed with the caller's transaction if
     * there is one.
     *
     * @param delivery the delivery, with the token of the attempt
     * @return the result
     */
    Ended done(Delivery delivery);

    /**
     * Stores the failure of an attempt.
     *
     * @param delivery the delivery, with the token of the attempt
     * @param pause the pause before the next attempt
     * @param park true if no attempt is left
     * @param error the error, for display
     * @return false if another node has picked the delivery up, or a person has decided about it
     */
    boolean failed(Delivery delivery, Duration pause, boolean park, String error);

    /**
     * Releases a delivery without counting the attempt.
     *
     * @param delivery the delivery, with the token of the attempt
     * @param pause the pause before the next attempt
     * @return false if another node has picked the delivery up, or a person has decided about it
     */
    boolean release(Delivery delivery, Duration pause);

    /**
     * Finds deliveries.
     *
     * @param query the search
     * @return the deliveries in the order of their ids; {@code known} is true for each, because the store does not know the listeners
     */
    List<DeliveryView> find(DeliveryQuery query);

    /**
     * If a delivery is parked or waits for its next attempt, makes it due now, and sets its number of attempts to zero.
     *
     * @param id the id of the delivery
     * @return true if the delivery was parked or waited for its next attempt, and is due now
     */
    boolean retry(long id);

    /**
     * Removes a delivery, unless a node is calling its listener.
     *
     * @param id the id of the delivery
     * @return the removed delivery, or empty if there is none or a node is calling its listener
     */
    Optional<DeliveryView> giveUp(long id);

    /**
     * Counts the deliveries of each listener.
     *
     * @param known the listeners of this node
     * @return one entry for each listener with deliveries, in the order of the listeners' ids
     */
    List<ListenerBacklog> backlog(Set<String> known);

    /**
     * Counts the deliveries that each node is making now.
     *
     * @return the loads of the nodes, or {@link NodeLoads#unknown()} if this store does not count them
     */
    default NodeLoads loads() {
        return NodeLoads.unknown();
    }

    /**
     * Returns the leases on the deliveries, which the keeper renews.
     *
     * @return always the same object
     */
    RenewableLeases leases();
}
