package io.sagaspring.listener;

import io.sagaspring.fence.LogText;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the stored deliveries of durable listeners, retries them and gives them up.
 *
 * @since 0.1.0
 */
public final class Deliveries {

    private static final Logger logger = LoggerFactory.getLogger(Deliveries.class);

    private final DeliveryStore store;
    private final Supplier<Set<String>> known;
    private final DeliveryObserver notifier;
    private final Consumer<String> wake;

    Deliveries(DeliveryStore store, Supplier<Set<String>> known, DeliveryObserver notifier, Consumer<String> wake) {
        this.store = store;
        this.known = known;
        this.notifier = notifier;
        this.wake = wake;
    }

    /**
     * Finds deliveries. Those of listeners that no longer exist are included.
     *
     * @param query the search
     * @return the deliveries in the order in which they were stored
     */
    public List<DeliveryView> find(DeliveryQuery query) {
        Set<String> here = known.get();
        return store.find(query).stream()
                .map(each -> each.knownIf(here.contains(each.listener())))
                .toList();
    }

    /**
     * Counts the stored deliveries of each listener.
     *
     * @return one entry for each listener with deliveries, including listeners that this node does not have
     */
    public List<ListenerBacklog> backlog() {
        return store.backlog(known.get());
    }

    /**
     * Makes a delivery due now, and counts its attempts from zero again. The delivery must be parked, or wait for its
     * next attempt.
     *
     * @param id the id of the delivery
     * @param by the name of the operator, for the log
     * @return true if the delivery was parked or waited for its next attempt, and is due now
     */
    public boolean retry(long id, String by) {
        boolean found = store.retry(id);
        if (found) {
            logger.info("Delivery {} is due again, because {} has retried it", id, LogText.of(by));
            known.get().forEach(wake);
        }
        return found;
    }

    /**
     * Gives up a delivery: it is removed without being delivered, and the next one of its key follows. A delivery in progress cannot be
     * given up.
     *
     * @param id the id of the delivery
     * @param reason the reason, for the log
     * @param by the name of the operator, for the log
     * @return the delivery that was removed, or empty if there is no such delivery or a node is calling its listener
     */
    public Optional<DeliveryView> giveUp(long id, String reason, String by) {
        Optional<DeliveryView> removed =
                store.giveUp(id).map(each -> each.knownIf(known.get().contains(each.listener())));
        removed.ifPresent(each -> {
            logger.warn(
                    "Gave up delivery {} of listener '{}' (key: {}, attempts: {}). It was removed by {} (reason: {})",
                    each.id(),
                    each.listener(),
                    LogText.of(each.orderKey()),
                    each.attempts(),
                    LogText.of(by),
                    LogText.of(reason));
            notifier.happened(each.listener(), DeliveryEvent.GIVEN_UP, null);
            wake.accept(each.listener());
        });
        return removed;
    }
}
