package io.sagaspring.listener;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Picks up the deliveries of one listener. Each listener has its own thread and slots, so a slow listener delays no
 * other.
 */
final class ListenerPickup implements Pickup.Source<PickedUp>, DeliveryAttempts.Next {

    private static final Logger logger = LoggerFactory.getLogger(ListenerEngine.class);

    private final ListenerMethod listener;
    private final DeliveryStore store;
    private final DeliveryAttempts attempts;
    private final DeliveryObserver notifier;
    private final Pickup<PickedUp> pickup;

    ListenerPickup(
            ListenerMethod listener,
            DeliveryStore store,
            DeliveryAttempts attempts,
            DeliveryObserver notifier,
            Keeper keeper,
            Executor executor,
            ListenerEngine.Settings settings) {
        this.listener = listener;
        this.store = store;
        this.attempts = attempts;
        this.notifier = notifier;
        this.pickup = new Pickup<>(
                this,
                keeper,
                store.leases(),
                executor,
                new Pickup.Settings(
                        "listener-" + listener.id(),
                        listener.delivering().concurrency(),
                        settings.poll(),
                        settings.lease(),
                        settings.longest(),
                        settings.grace()));
    }

    Pickup<PickedUp> pickup() {
        return pickup;
    }

    @Override
    public void now() {
        pickup.wake();
    }

    @Override
    public void in(Duration pause) {
        pickup.wakeIn(pause);
    }

    @Override
    public Optional<Duration> untilDue(Duration within) {
        return store.untilDue(listener.id(), within);
    }

    @Override
    public List<PickedUp> take(int slots) {
        List<PickedUp> picked =
                store.pick(listener.id(), slots, listener.delivering().attempts());
        picked.stream().filter(PickedUp::parked).forEach(each -> {
            logger.error(
                    "Parked delivery {}: no attempt is left. During the last attempt, its node died or lost the lease. Find out why before you retry the delivery",
                    DeliveryAttempts.text(each.delivery()));
            notifier.happened(listener.id(), DeliveryEvent.PARKED, each.delivery());
        });
        return picked.stream().filter(each -> !each.parked()).toList();
    }

    @Override
    public HeldLease held(PickedUp picked) {
        return picked.held();
    }

    @Override
    public String describe(HeldLease held) {
        return "Delivery %s of listener '%s'".formatted(held.id(), held.name());
    }

    @Override
    public Runnable work(PickedUp picked, Hold hold) {
        attempts.work(listener, picked, hold, this);
        return () -> {};
    }

    @Override
    public void release(PickedUp picked, Duration pause) {
        attempts.release(picked, pause);
    }
}
