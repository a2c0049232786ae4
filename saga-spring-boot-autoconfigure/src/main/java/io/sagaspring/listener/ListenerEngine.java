package io.sagaspring.listener;

import io.sagaspring.fence.Keeper;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.CarriedContext;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.StepTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Stores events for the durable listeners of this node, and delivers them from {@link #open} until {@link #close()}.
 *
 * <ol>
 *   <li>{@link #publish} writes a row for each listener, in the transaction of the publisher.
 *   <li>After the commit, or at the next poll of any node, a node picks up the heads of the lines. The attempt is counted.
 *   <li>The heartbeat keeper renews the lease of the row while the listener works.
 *   <li>When the listener has returned, the row is removed, guarded by its token. Then the next row of its line is the head. If the
 *       listener fails, the row stays the head: it becomes due again after a pause, or is parked.
 * </ol>
 *
 * @since 0.1.0
 */
public final class ListenerEngine implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(ListenerEngine.class);

    private static final Duration LATE = Duration.ofMinutes(1);

    private final DeliveryStore store;
    private final Supplier<ListenerCatalog> reader;
    private final Supplier<List<DeliveryObserver>> observers;
    private final Settings settings;
    private final EventIntake intake;
    private final DeliveryAttempts attempts;
    private final Deliveries deliveries;
    private volatile @Nullable ListenerCatalog catalog;
    private volatile Map<String, ListenerPickup> pickups = Map.of();

    /**
     * The components of an engine.
     *
     * @param store the store of the deliveries
     * @param catalog the supplier that reads the listeners of this node
     * @param beans the function that returns a bean of the application by its name
     * @param context the carrier of the context of publishers
     * @param codec the codec of the events
     * @param transactions the transactions of transactional listeners
     * @param observers the supplier of the observers; called at the first event
     */
    public record Parts(
            DeliveryStore store,
            Supplier<ListenerCatalog> catalog,
            Function<String, Object> beans,
            CarriedContext context,
            PayloadCodec codec,
            StepTransactions transactions,
            Supplier<List<DeliveryObserver>> observers) {}

    /**
     * The settings of an engine.
     *
     * @param poll the interval at which a node looks for deliveries without being woken
     * @param lease the time for which a delivery stays assigned to a node after the last heartbeat
     * @param longest the longest duration of one attempt
     * @param grace the time that deliveries in progress get at shutdown before they are interrupted
     */
    public record Settings(Duration poll, Duration lease, Duration longest, Duration grace) {}

    /**
     * Creates an engine that delivers nothing yet.
     *
     * @param parts the parts of the engine
     * @param settings the settings of the engine
     */
    public ListenerEngine(Parts parts, Settings settings) {
        this.store = parts.store();
        this.reader = parts.catalog();
        this.observers = SingletonSupplier.of(parts.observers());
        this.settings = settings;
        Payloads payloads = new Payloads(parts.codec());
        this.intake = new EventIntake(store, parts.context(), payloads, this::happened, this::wake);
        this.attempts = new DeliveryAttempts(
                store, parts.beans(), parts.context(), payloads, parts.transactions(), this::happened);
        this.deliveries = new Deliveries(store, this::ids, this::happened, this::wake);
    }

    /**
     * Returns the API for applications.
     *
     * @return always the same object
     */
    public Deliveries deliveries() {
        return deliveries;
    }

    /**
     * Returns the time for which a delivery may be due before the health check reports it.
     *
     * @return five poll intervals, but at least one minute
     */
    public Duration overdueAfter() {
        Duration several = settings.poll().multipliedBy(5);
        return several.compareTo(LATE) > 0 ? several : LATE;
    }

    /**
     * Reads the listeners of this node, unless they were already read. Call this method when all beans exist.
     *
     * @throws io.sagaspring.startup.StartupFaultException if the listeners have faults
     */
    public synchronized void requireListeners() {
        if (catalog == null) {
            catalog = reader.get();
        }
    }

    /**
     * Returns the listeners. While the application starts, each call reads them again, because the classes of some
     * beans are not known yet.
     */
    private ListenerCatalog catalog() {
        ListenerCatalog read = catalog;
        return read == null ? reader.get() : read;
    }

    private Set<String> ids() {
        return catalog().ids();
    }

    /**
     * Stores an event for its listeners. Does nothing if it has none.
     *
     * @param event the event
     * @throws RuntimeException if the event cannot be stored; then it is stored for none of them
     */
    public void publish(Object event) {
        List<ListenerMethod> listeners = catalog().of(event.getClass());
        if (!listeners.isEmpty()) {
            intake.publish(event, listeners);
        }
    }

    /**
     * Starts to deliver.
     *
     * @param keeper the heartbeat keeper, which renews the leases of deliveries in progress
     * @param executor the executor of the listeners
     */
    public synchronized void open(Keeper keeper, Executor executor) {
        if (pickups.isEmpty()) {
            pickups = pickups(keeper, executor);
        }
        pickups.values().forEach(each -> each.pickup().start());
    }

    private Map<String, ListenerPickup> pickups(Keeper keeper, Executor executor) {
        requireListeners();
        Map<String, ListenerPickup> made = new TreeMap<>();
        for (ListenerMethod each : catalog().all()) {
            if (each.delivering().enabled()) {
                made.put(
                        each.id(),
                        new ListenerPickup(each, store, attempts, this::happened, keeper, executor, settings));
            }
        }
        return made;
    }

    /**
     * Delivers everything that is due, on the calling thread.
     *
     * @param keeper the heartbeat keeper
     * @return the number of attempts
     */
    public int sweep(Keeper keeper) {
        List<ListenerPickup> swept =
                new ArrayList<>(pickups(keeper, Runnable::run).values());
        int all = 0;
        for (int attempted = -1; attempted != 0; all += Math.max(0, attempted)) {
            attempted = swept.stream().mapToInt(each -> each.pickup().sweep()).sum();
        }
        return all;
    }

    /** Stops picking up deliveries. Those in progress continue. */
    public synchronized void stop() {
        pickups.values().forEach(each -> each.pickup().stop());
    }

    /**
     * Stops, waits for the deliveries in progress, and then interrupts and releases those that remain. All listeners
     * are closed at the same time.
     */
    @Override
    public void close() {
        stop();
        List<Thread> closing = new ArrayList<>();
        for (ListenerPickup each : pickups.values()) {
            Thread thread = new Thread(() -> each.pickup().close(), "saga-listener-close");
            thread.setDaemon(true);
            thread.start();
            closing.add(thread);
        }
        try {
            for (Thread thread : closing) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake(String listener) {
        ListenerPickup pickup = pickups.get(listener);
        if (pickup != null) {
            pickup.now();
        }
    }

    private void happened(String listener, DeliveryEvent event, @Nullable Delivery delivery) {
        for (DeliveryObserver each : observers.get()) {
            try {
                each.happened(listener, event, delivery);
            } catch (Throwable failed) {
                logger.warn("An observer of deliveries threw an exception", failed);
            }
        }
    }
}
