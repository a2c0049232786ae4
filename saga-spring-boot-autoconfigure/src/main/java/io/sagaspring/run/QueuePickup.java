package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.run.queue.StartRate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins runs of queues on this node. They have slots of their own, so that a backlog in a queue takes no slot from a run without a queue.
 * The queues take turns for the slots.
 */
final class QueuePickup implements Pickup.Source<PickedUpRun> {

    private static final Logger logger = LoggerFactory.getLogger(QueuePickup.class);

    /** The time between two searches for permits whose runs no node continues. */
    private static final Duration RECLAIM_INTERVAL = Duration.ofMinutes(1);

    private final QueueStore store;
    private final Set<String> queues;
    private final RunCatalog catalog;
    private final RunExecutor executor;
    private final RunNotifier notifier;
    private final Clock clock;
    private final QueueListener listener;
    private final Deque<String> turns;

    /** For each queue that limits the starts of each key: the time after which another run of the key may begin. */
    private final Map<String, Duration> stepsOfKeys = new HashMap<>();

    private Duration reclaimed;

    /**
     * The clock and the times by which this pickup searches for runs.
     *
     * @param ticks the node's clock for elapsed time
     * @param lease the time for which a run stays assigned to a node after its last heartbeat
     * @param alarm the function that makes this pickup search again after the given time
     */
    record Clock(ElapsedClock ticks, Duration lease, Consumer<Duration> alarm) {}

    QueuePickup(
            QueueStore store,
            Queues declared,
            RunCatalog catalog,
            RunExecutor executor,
            RunNotifier notifier,
            Clock clock,
            QueueListener listener) {
        this.store = store;
        this.queues = declared.names();
        this.catalog = catalog;
        this.executor = executor;
        this.notifier = notifier;
        this.clock = clock;
        this.listener = listener;
        this.turns = new ArrayDeque<>(queues);
        this.reclaimed = clock.ticks().now();
        for (RunQueue queue : declared.all()) {
            StartRate ofKey = queue.limits().startsForEach();
            if (ofKey != null) {
                stepsOfKeys.put(queue.name(), ofKey.step());
            }
        }
    }

    @Override
    public Optional<Duration> untilDue(Duration within) {
        if (clock.ticks().now().minus(reclaimed).compareTo(RECLAIM_INTERVAL) >= 0) {
            reclaimed = clock.ticks().now();
            // Within twice the lease's time, a node that has the run's code would have continued the run.
            int freed = store.reclaim(queues, clock.lease().multipliedBy(2));
            if (freed > 0) {
                logger.warn(
                        "Freed the permits of runs that no node has continued (number: {}). These runs wait in their queues again",
                        freed);
            }
        }
        return store.untilNext(queues, within);
    }

    @Override
    public List<PickedUpRun> take(int slots) {
        store.join(queues).forEach(notifier::cancelled);
        Set<String> known = catalog.namesToPickUp();
        List<PickedUpRun> begun = new ArrayList<>();
        int left = turns.size();
        for (String queue : List.copyOf(turns)) {
            int share = (slots - begun.size() + left - 1) / left;
            left--;
            if (share <= 0) {
                break;
            }
            List<PickedUpRun> ofQueue;
            try {
                ofQueue = store.take(queue, known, share);
            } catch (RuntimeException failed) {
                // The next search begins with another queue. Otherwise, this one would keep the others from beginning
                // runs.
                moveToTheEnd(queue);
                if (begun.isEmpty()) {
                    throw failed;
                }
                // The runs that have begun hold permits, so this node must execute them.
                logger.warn("Could not begin runs of the queue '{}'. They wait until the next search", queue, failed);
                break;
            }
            if (!ofQueue.isEmpty()) {
                begun.addAll(ofQueue);
                listener.begun(queue, ofQueue.size());
                // Search again when another run of the same key may begin. The store does not return this time, because
                // it would have to look at all keys.
                Optional.ofNullable(stepsOfKeys.get(queue)).ifPresent(clock.alarm());
                moveToTheEnd(queue);
            }
        }
        return begun.stream().filter(executor::isToBeExecuted).toList();
    }

    private void moveToTheEnd(String queue) {
        turns.remove(queue);
        turns.add(queue);
    }

    @Override
    public HeldLease held(PickedUpRun pickedUp) {
        return executor.held(pickedUp);
    }

    @Override
    public String describe(HeldLease held) {
        return executor.describe(held);
    }

    @Override
    public Runnable work(PickedUpRun pickedUp, Hold hold) {
        return executor.work(pickedUp, hold);
    }

    @Override
    public void release(PickedUpRun pickedUp, Duration pause) {
        executor.release(pickedUp, pause);
    }
}
