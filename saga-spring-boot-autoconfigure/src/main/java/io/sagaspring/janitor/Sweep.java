package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.database.Database;
import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.LogText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The sweeps of one module in all databases. They revert every claim of the module whose owner has sent no heartbeat
 * for longer than stuck-after. The observers of the sweeps are code of the application: the {@link SweepListener}
 * beans, the listeners to {@link ClaimRecovered} events, and the method {@link ScheduledClaimJanitor#recovered}, which
 * is called the hook.
 *
 * @since 0.1.0
 */
public final class Sweep {

    private static final Logger logger = LoggerFactory.getLogger(Sweep.class);

    /**
     * The longest time that a sweep waits for its observers. The sweeps of all modules in one database share a thread,
     * so a longer wait would delay the other modules.
     */
    private static final Duration WAIT_FOR_OBSERVERS = Duration.ofSeconds(2);

    private final String module;
    private final Settings settings;
    private final ClaimRecovery recoveries;
    private final ElapsedClock ticks;
    private final BooleanSupplier running;
    private final SweepTools tools;
    private final DatabaseSweep home;

    /** The sweeps of the databases of tenants. */
    private final Map<Database, DatabaseSweep> others = new ConcurrentHashMap<>();

    private final Map<SweepListener, SweepObserver> listeners = new LinkedHashMap<>();
    private final ApplicationEventPublisher events;
    private final Consumer<ClaimRecovered> hook;
    private final SweepObserver hookObserver;

    /** The observers that are running now, each on the calling thread of a manual release. */
    private final Set<SweepObserver> releasing = ConcurrentHashMap.newKeySet();

    /**
     * The settings of one module's sweep.
     *
     * @param interval the time between two sweeps
     * @param tick the time between two calls of the sweep; a call sweeps if the interval ends before the next call
     * @param stuckAfter the time without a heartbeat after which a claim counts as stuck
     * @param terminateBlockers true to end the database session of a transaction that has locked a stuck entity
     */
    public record Settings(Duration interval, Duration tick, Duration stuckAfter, boolean terminateBlockers) {}

    Sweep(String module, Settings settings, SweepTools tools, BooleanSupplier running, Consumer<ClaimRecovered> hook) {
        this.module = module;
        this.settings = settings;
        this.recoveries = tools.recoveries();
        this.tools = tools;
        this.ticks = tools.ticks();
        this.running = running;
        tools.listeners()
                .forEach(listener -> this.listeners.put(
                        listener,
                        new SweepObserver(
                                "Module '%s': %s"
                                        .formatted(module, listener.getClass().getName()),
                                ticks)));
        this.events = tools.events();
        this.hook = hook;
        this.hookObserver =
                new SweepObserver("The janitor hook or an event listener of module '%s'".formatted(module), ticks);
        this.home = new DatabaseSweep(this, recoveries.databases().home(), tools);
    }

    /**
     * Returns the module's name.
     *
     * @return the module
     */
    public String module() {
        return module;
    }

    /**
     * Returns the time since the latest sweep of the home database finished without an exception.
     *
     * @return the elapsed time on this node, or null if no sweep has finished yet
     */
    public @Nullable Duration lag() {
        return home.lag();
    }

    /**
     * Returns true if this node left out the latest sweep of the home database because the janitor is paused.
     *
     * @return true if the janitor was paused then
     */
    public boolean isPaused() {
        return home.isPaused();
    }

    /**
     * Returns the settings of the sweep.
     *
     * @return the settings
     */
    public Settings settings() {
        return settings;
    }

    /**
     * Returns the observers of this module's sweeps that have not returned although they were interrupted.
     *
     * @return the duration of each hanging call, by the observer's description
     */
    public Map<String, Duration> hangingHooks() {
        Map<String, Duration> found = new LinkedHashMap<>();
        allObservers().forEach(observer -> {
            Duration hanging = observer.hanging();
            if (hanging != null) {
                found.put(observer.toString(), hanging);
            }
        });
        return found;
    }

    private Stream<SweepObserver> observers() {
        return Stream.concat(listeners.values().stream(), Stream.of(hookObserver));
    }

    private Stream<SweepObserver> allObservers() {
        return Stream.concat(observers(), releasing.stream());
    }

    /** Interrupts observers that take too long, and sweeps the home database if its next sweep is due. */
    public void runIfDue() {
        allObservers().forEach(SweepObserver::interruptIfOverdue);
        home.runIfDue();
    }

    /**
     * Sweeps the database of a tenant if its next sweep is due. Call this method on the thread that sweeps this
     * database.
     */
    void runIfDue(Database database) {
        of(database).runIfDue();
    }

    private DatabaseSweep of(Database database) {
        return database.isHome()
                ? home
                : others.computeIfAbsent(database, each -> new DatabaseSweep(this, each, tools));
    }

    /** Forgets a database that no tenant uses any longer. */
    void forget(Database database) {
        others.remove(database);
        tools.orphans().forget(database);
    }

    /**
     * Sweeps now, one database after the other, unless the janitor is paused.
     *
     * @return the number of freed entities
     */
    public int run() {
        int freed = home.run();
        for (Database database : recoveries.databases().all()) {
            freed += database.isHome() ? 0 : runSafely(database);
        }
        return freed;
    }

    /** Sweeps a tenant's database. A failure is only logged, for example if that database is down. */
    private int runSafely(Database database) {
        try {
            return of(database).run();
        } catch (RuntimeException failed) {
            logger.error(
                    "The janitor of module '{}' could not sweep {}. The sweep continues in the other databases",
                    module,
                    database,
                    failed);
            return 0;
        }
    }

    boolean isRunning() {
        return running.getAsBoolean();
    }

    /** Notifies the listeners of the end of one database's sweep, and waits for the observers. */
    void ended(boolean failed) {
        notifyListeners(listener -> listener.swept(module, failed));
        long giveUp = System.nanoTime() + WAIT_FOR_OBSERVERS.toNanos();
        observers().forEach(observer -> observer.settle(Duration.ofNanos(giveUp - System.nanoTime())));
    }

    void blocked() {
        notifyListeners(listener -> listener.blocked(module));
    }

    /**
     * Waits until the observers have been notified of the freed entities, or until the given {@link System#nanoTime()}.
     */
    void awaitObservers(long giveUp) {
        observers().forEach(observer -> observer.close(Duration.ofNanos(giveUp - System.nanoTime())));
    }

    /**
     * Frees one entity now, at a person's request, even if its owner still sends heartbeats. The owner loses its claim
     * and can no longer commit.
     *
     * @param row the claim's row in the ledger
     * @param by the person
     * @return the result
     */
    public ClaimRecovery.Recovered release(ClaimedRow row, String by) {
        ClaimRecovery.Recovered released = recoveries.release(row);
        if (released == ClaimRecovery.Recovered.FREED) {
            logger.warn(
                    "Released {} {} from {} back to {} at the request of {}. It was claimed {} ago by {} on node {}. The last heartbeat was {} ago",
                    row.entity(),
                    LogText.of(row.id()),
                    row.claimState(),
                    row.revertTo(),
                    LogText.of(by),
                    DurationText.of(row.age()),
                    LogText.of(row.requester()),
                    LogText.of(row.node()),
                    DurationText.of(row.silentFor()));
            notifyHere(ClaimRecovered.of(row, by));
        } else if (released == ClaimRecovery.Recovered.CLEARED) {
            DatabaseSweep.logCleared(row);
        }
        return released;
    }

    /**
     * Notifies the observers on the calling thread of a manual release, because a hook may need the security context of
     * that thread. The time limit is the same as on a thread of the library.
     */
    private void notifyHere(ClaimRecovered event) {
        SweepObserver here = new SweepObserver(
                "The janitor hook or a listener of module '%s' (release by %s)".formatted(module, event.releasedBy()),
                ticks);
        releasing.add(here);
        try {
            listeners.keySet().forEach(listener -> here.callHere(inTenant(event, () -> listener.recovered(event))));
            here.callHere(inTenant(event, () -> publish(event)));
        } finally {
            releasing.remove(here);
        }
    }

    void notifyObservers(ClaimedRow row) {
        ClaimRecovered event = ClaimRecovered.of(row, null);
        notifyListeners(
                listener -> inTenant(event, () -> listener.recovered(event)).run());
        hookObserver.enqueue(inTenant(event, () -> publish(event)));
    }

    private Runnable inTenant(ClaimRecovered event, Runnable call) {
        return () -> recoveries.tenants().run(event.tenant(), call);
    }

    private void notifyListeners(Consumer<SweepListener> call) {
        listeners.forEach((listener, observer) -> observer.enqueue(() -> call.accept(listener)));
    }

    private void publish(ClaimRecovered event) {
        safely(() -> events.publishEvent(event));
        safely(() -> hook.accept(event));
    }

    private static void safely(Runnable observer) {
        try {
            observer.run();
        } catch (Throwable failed) {
            logger.warn(
                    "An event listener or a janitor's hook threw an exception when it was notified of a freed entity. The entity is free nevertheless",
                    failed);
        }
    }
}
