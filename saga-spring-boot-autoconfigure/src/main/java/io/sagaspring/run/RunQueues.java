package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Keeper;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * The queues of a node. If no queue is declared, this object starts no thread and executes no statement in the
 * database.
 *
 * @since 0.1.0
 */
public final class RunQueues {

    private static final Logger logger = LoggerFactory.getLogger(RunQueues.class);

    private final @Nullable Parts parts;
    private final Supplier<Queues> declared;

    /**
     * The pickup for runs of queues, or empty if no queue is declared. It is created at its first use, so that the
     * beans of the queues are not created too early.
     */
    private final Supplier<Optional<Pickup<PickedUpRun>>> pickup;

    /**
     * The components for the queues of an engine.
     *
     * @param store the store that lets runs of queues begin, or null if the store of runs has no queues
     * @param declared the supplier of the queues of the application; called once
     * @param concurrency the maximum number of runs of queues that this node executes at the same time
     * @param listeners the supplier of the listeners; called when runs have begun
     */
    public record Parts(
            @Nullable QueueStore store,
            Supplier<Queues> declared,
            int concurrency,
            Supplier<List<QueueListener>> listeners) {

        /**
         * Creates components without listeners.
         *
         * @param store the store that lets runs of queues begin, or null if the store of runs has no queues
         * @param declared the supplier of the queues of the application; called once
         * @param concurrency the maximum number of runs of queues that this node executes at the same time
         */
        public Parts(@Nullable QueueStore store, Supplier<Queues> declared, int concurrency) {
            this(store, declared, concurrency, List::of);
        }
    }

    RunQueues(
            @Nullable Parts parts,
            RunCatalog catalog,
            RunExecutor executor,
            RunNotifier notifier,
            Execution execution) {
        this.parts = parts;
        this.declared = parts == null ? () -> Queues.NONE : SingletonSupplier.of(parts.declared());
        this.pickup = SingletonSupplier.of(() ->
                names().isEmpty() ? Optional.empty() : Optional.of(pickup(catalog, executor, notifier, execution)));
    }

    private Pickup<PickedUpRun> pickup(
            RunCatalog catalog, RunExecutor executor, RunNotifier notifier, Execution execution) {
        Pickup.Settings of = execution.settings();
        int concurrency = parts == null ? 0 : parts.concurrency();
        Pickup.Settings settings =
                new Pickup.Settings("queues", concurrency, of.poll(), of.lease(), of.longest(), of.grace());
        Keeper keeper = execution.keeper();
        QueuePickup source = new QueuePickup(
                store(),
                declared.get(),
                catalog,
                executor,
                notifier,
                new QueuePickup.Clock(keeper::now, of.lease(), this::wakeIn),
                this::notifyBegun);
        return new Pickup<>(source, keeper, execution.store(), execution.threads(), settings);
    }

    private void notifyBegun(String queue, int runs) {
        List<QueueListener> listeners =
                parts == null ? List.of() : parts.listeners().get();
        for (QueueListener each : listeners) {
            try {
                each.begun(queue, runs);
            } catch (Throwable failed) {
                logger.warn("A QueueListener for the queue '{}' threw an exception", queue, failed);
            }
        }
    }

    Set<String> names() {
        return declared.get().names();
    }

    private QueueStore store() {
        QueueStore store = parts == null ? null : parts.store();
        return Objects.requireNonNull(store, "The check at start-up has made sure that there is a store of queues.");
    }

    /** Reads the declarations. Throws an exception if one of them cannot work, or if the store has no queues. */
    void requireDeclared() {
        declared.get().requireStore(parts != null && parts.store() != null);
    }

    /**
     * The components that execute runs. Runs of queues share them with other runs.
     *
     * @param store the store of the runs
     * @param keeper the heartbeat keeper, which renews the leases of the runs
     * @param threads the executor of the runs
     * @param settings the settings for runs without a queue
     */
    record Execution(RunStore store, Keeper keeper, Executor threads, Pickup.Settings settings) {}

    /** Throws an exception if the queue is not declared, so that no run waits in it forever. */
    void require(String queue) {
        declared.get().require(queue);
    }

    /**
     * Returns the place of a run whose input later starts may replace. The key of the run is also its key in the queue, so that the next
     * run with this key begins when this one has ended. Throws an exception if the queue does not ensure that.
     */
    QueuePlace requireOneByOne(@Nullable QueuePlace place, String key, @Nullable String tenant) {
        if (place == null) {
            throw new IllegalArgumentException(
                    "orReplace() and quietFor(…) need a queue, so that the next run with the key begins only after this one has ended. Call in(\"…\") with a queue that has atOnceForEach(1) and keepsPermits().");
        }
        if (!place.key().isEmpty()) {
            throw new IllegalArgumentException(
                    "The key '%s' within the queue was set with of(…), but orReplace() and quietFor(…) use the key of the run within the queue. Remove of(…)."
                            .formatted(place.key()));
        }
        declared.get().requireOneByOne(place.queue());
        return place.withKeyOfRun(key, tenant);
    }

    QueueControl control(String queue) {
        require(queue);
        return new QueueControl(queue, store(), this::wake);
    }

    /** Makes this node look for runs of queues. Call this method after a commit that has started such a run, or has freed a permit. */
    void wake() {
        pickup.get().ifPresent(Pickup::wake);
    }

    void wakeIn(Duration pause) {
        pickup.get().ifPresent(each -> each.wakeIn(pause));
    }

    /** Declares the queues in the database, and starts the pickup of their runs. */
    void open() {
        for (RunQueue queue : declared.get().all()) {
            store().declare(queue)
                    .ifPresent(replaced -> logger.warn(
                            "Queue '{}': the application now declares {}. This replaces what an operator had set: {}",
                            queue.name(),
                            queue,
                            replaced));
        }
        pickup.get().ifPresent(Pickup::start);
    }

    void stop() {
        pickup.get().ifPresent(Pickup::stop);
    }

    void close() {
        pickup.get().ifPresent(Pickup::close);
    }

    int sweep() {
        return pickup.get().map(Pickup::sweep).orElse(0);
    }

    /** Describes all queues of the database, or none if this node has no queues. */
    List<QueueDepth> depths() {
        return names().isEmpty() ? List.of() : store().depths();
    }
}
