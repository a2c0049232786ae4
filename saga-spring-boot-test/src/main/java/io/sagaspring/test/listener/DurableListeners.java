package io.sagaspring.test.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.Keeper;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DeliveryEvent;
import io.sagaspring.listener.DeliveryObserver;
import io.sagaspring.listener.DeliveryQuery;
import io.sagaspring.listener.DeliveryState;
import io.sagaspring.listener.DeliveryView;
import io.sagaspring.listener.ListenerEngine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes events in a test, delivers them when the test calls {@link #deliverNow()}, and checks the deliveries.
 * Import this class into the test's configuration. Set {@code saga.listeners.enabled=false}, so that no other thread
 * delivers, and {@code saga.listeners.delay=0s}, so that a failing delivery uses all its attempts within one call.
 *
 * @since 0.1.0
 */
public final class DurableListeners implements DeliveryObserver {

    private static final int MOST = 1_000;

    private final ApplicationEventPublisher events;
    private final ObjectProvider<ListenerEngine> engine;
    private final ObjectProvider<Keeper> keeper;
    private final List<Delivery> delivered = Collections.synchronizedList(new ArrayList<>());

    /**
     * Creates the bean. Spring calls this constructor in a test that imports this class.
     *
     * @param events the publisher of events
     * @param engine the engine that delivers them
     * @param keeper the heartbeat keeper, which renews the leases of deliveries in progress
     */
    public DurableListeners(
            ApplicationEventPublisher events, ObjectProvider<ListenerEngine> engine, ObjectProvider<Keeper> keeper) {
        this.events = events;
        this.engine = engine;
        this.keeper = keeper;
    }

    /**
     * Publishes an event, in the test's transaction if there is one.
     *
     * @param event the event
     * @return this object
     */
    public DurableListeners publish(Object event) {
        events.publishEvent(event);
        return this;
    }

    /**
     * Delivers everything that is due, on the calling thread. Each listener is called until none of its deliveries is due.
     *
     * @return the number of attempts
     */
    public int deliverNow() {
        return engine.getObject().sweep(keeper.getObject());
    }

    /**
     * Returns the deliveries of a listener that have succeeded, in their order.
     *
     * @param listener the id of the listener
     * @return the deliveries since the last call of {@link #forget()}
     */
    public List<Delivery> delivered(String listener) {
        return List.copyOf(delivered).stream()
                .filter(each -> each.listener().equals(listener))
                .toList();
    }

    /**
     * Returns the deliveries that wait for a person.
     *
     * @return the parked deliveries of all listeners
     */
    public List<DeliveryView> parked() {
        return deliveries().find(DeliveryQuery.in(DeliveryState.PARKED, MOST));
    }

    /**
     * Returns the API that applications use, for example to retry deliveries or to give them up.
     *
     * @return the deliveries
     */
    public Deliveries deliveries() {
        return engine.getObject().deliveries();
    }

    /**
     * Checks that a listener has received a number of events, each of them once, and that the events of each key came in their order.
     *
     * @param listener the id of the listener
     * @param count the number of events
     * @return this object
     */
    public DurableListeners assertDeliveredOnceAndInOrder(String listener, int count) {
        List<Delivery> found = delivered(listener);
        assertThat(found).as("deliveries to '%s'", listener).hasSize(count);
        assertThat(found).extracting(Delivery::key).doesNotHaveDuplicates();
        Map<String, Long> last = new HashMap<>();
        for (Delivery each : found) {
            String key = each.orderKey();
            if (key != null) {
                assertThat(each.id())
                        .as(
                                "id of a delivery of the key '%s' to '%s', compared with the id of the previous delivery of this key",
                                key, listener)
                        .isGreaterThan(last.getOrDefault(key, -1L));
                last.put(key, each.id());
            }
        }
        return this;
    }

    /** Forgets the deliveries that have succeeded so far. */
    public void forget() {
        delivered.clear();
    }

    @Override
    public void happened(String listener, DeliveryEvent event, @Nullable Delivery delivery) {
        if (event == DeliveryEvent.DELIVERED && delivery != null) {
            delivered.add(delivery);
        }
    }
}
