package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimRecovery.Recovered;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.LogText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
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
 * The sweep of one module. The sweep reverts every claim of the module whose owner has sent no heartbeat for longer
 * than stuck-after.
 *
 * @since 0.1.0
 */
public final class Sweep {

    private static final Logger logger = LoggerFactory.getLogger(Sweep.class);
    private static final int BATCH = 500;
    private static final int MOST_EXPLAINED = 10;

    /** The longest time that a sweep waits for its observers. All modules share the sweeping thread. */
    private static final Duration WAIT_FOR_OBSERVERS = Duration.ofSeconds(2);

    private final String module;
    private final Settings settings;
    private final ClaimRecovery recoveries;
    private final Orphans orphans;
    private final ElapsedClock ticks;
    private final BooleanSupplier running;
    private final Map<SweepListener, SweepObserver> listeners = new LinkedHashMap<>();
    private final ApplicationEventPublisher events;
    private final Consumer<ClaimRecovered> hook;
    private final SweepObserver hookObserver;

    /** The observers that are running now, each on the calling thread of a manual release. */
    private final Set<SweepObserver> releasing = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Duration lastBegun;
    private volatile @Nullable Duration lastEnded;
    private int explained;
    private int unexplained;
    private SweepFailures failures = new SweepFailures();

    /**
     * The settings of one module's sweep.
     *
     * @param interval the time between two sweeps
     * @param tick the time between two calls of the sweep; a call sweeps if the interval ends before the next one
     * @param stuckAfter the time without a heartbeat after which a claim counts as stuck
     * @param terminateBlockers true to end the database session of a transaction that holds a stuck entity
     */
    public record Settings(Duration interval, Duration tick, Duration stuckAfter, boolean terminateBlockers) {}

    Sweep(String module, Settings settings, SweepTools tools, BooleanSupplier running, Consumer<ClaimRecovered> hook) {
        this.module = module;
        this.settings = settings;
        this.recoveries = tools.recoveries();
        this.orphans = tools.orphans();
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
        this.hookObserver = new SweepObserver("The janitor hook of module '%s'".formatted(module), ticks);
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
     * Returns the time since the latest sweep ended.
     *
     * @return the elapsed time on this node, or null if no sweep has ended yet
     */
    public @Nullable Duration lag() {
        Duration ended = lastEnded;
        return ended == null ? null : ticks.now().minus(ended);
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

    /** Sweeps if the application is ready and the interval has elapsed. */
    public void runIfDue() {
        allObservers().forEach(SweepObserver::interruptIfOverdue);
        Duration begun = lastBegun;
        // Sweep at the last tick before the interval ends, because the next tick would be too late.
        Duration due = settings.interval().minus(settings.tick());
        if (running.getAsBoolean() && (begun == null || ticks.now().minus(begun).compareTo(due) >= 0)) {
            lastBegun = ticks.now();
            int unused = run();
        }
    }

    /**
     * Sweeps now.
     *
     * @return the number of freed entities
     */
    public int run() {
        boolean finished = false;
        failures = new SweepFailures();
        try {
            searchForOrphans();
            int freed = freeAll();
            finished = true;
            lastEnded = ticks.now();
            return freed;
        } finally {
            boolean failed = !finished;
            failures.report(module);
            notifyListeners(listener -> listener.swept(module, failed));
            long giveUp = System.nanoTime() + WAIT_FOR_OBSERVERS.toNanos();
            observers().forEach(observer -> observer.settle(Duration.ofNanos(giveUp - System.nanoTime())));
        }
    }

    /**
     * Waits until the observers have been notified of the freed entities, or until the given {@link System#nanoTime()}.
     */
    void awaitObservers(long giveUp) {
        observers().forEach(observer -> observer.close(Duration.ofNanos(giveUp - System.nanoTime())));
    }

    /**
     * Searches for orphans. If the search fails, the sweep continues and frees the claims that are known to be stuck.
     */
    private void searchForOrphans() {
        try {
            orphans.searchIfDue(module);
        } catch (RuntimeException failed) {
            logger.error("Module '{}' could not search for entities in a claim state without a claim", module, failed);
        }
    }

    private int freeAll() {
        int freed = 0;
        explained = 0;
        unexplained = 0;
        Set<FencingToken> notFreed = new HashSet<>();
        List<ClaimedRow> blocked = new ArrayList<>();
        List<ClaimedRow> hints;
        do {
            hints = new ArrayList<>(recoveries.stuck(module, settings.stuckAfter(), notFreed, BATCH));
            // Other nodes sweep the same rows. If all nodes used the same order, they would compete for every row.
            Collections.shuffle(hints);
            for (ClaimedRow row : hints) {
                if (!running.getAsBoolean()) {
                    return freed;
                }
                Recovered recovered = free(row);
                if (recovered == Recovered.FREED) {
                    freed++;
                } else {
                    notFreed.add(row.token());
                }
                if (recovered == Recovered.BLOCKED) {
                    blocked.add(row);
                }
            }
        } while (!hints.isEmpty());
        freed += freeBlocked(blocked);
        if (unexplained > 0) {
            logger.warn(
                    "Module '{}': {} more stuck entities are held by transactions. The next sweep will try again",
                    module,
                    unexplained);
        }
        return freed;
    }

    /**
     * Tries blocked rows once more. A row that is still blocked is held by a long transaction, and not by another
     * sweep.
     */
    private int freeBlocked(List<ClaimedRow> blocked) {
        int freed = 0;
        for (ClaimedRow row : blocked) {
            Recovered recovered = free(row);
            if (recovered == Recovered.FREED) {
                freed++;
            }
            if (recovered == Recovered.BLOCKED) {
                report(row);
            }
        }
        return freed;
    }

    /** Frees one row. Returns null if this fails, so that the other rows are still freed. */
    private @Nullable Recovered free(ClaimedRow row) {
        try {
            Recovered recovered = recoveries.recover(row, settings.stuckAfter());
            switch (recovered) {
                case FREED -> {
                    logger.warn(
                            "Freed {} {} from {} back to {}. It was claimed {} ago by {} on node {}. The last heartbeat was {} ago",
                            row.entity(),
                            LogText.of(row.id()),
                            row.claimState(),
                            row.revertTo(),
                            DurationText.of(row.age()),
                            LogText.of(row.requester()),
                            LogText.of(row.node()),
                            DurationText.of(row.silentFor()));
                    notifyObservers(row);
                }
                case CLEARED -> logCleared(row);
                case PASSED_BY, BLOCKED, UNKNOWN ->
                    logger.debug("{} {} was not freed: {}", row.entity(), LogText.of(row.id()), recovered);
            }
            return recovered;
        } catch (RuntimeException failed) {
            failures.add(row, failed);
            return null;
        }
    }

    /**
     * Frees one entity now, at a person's request, even if its owner still sends heartbeats. The owner loses its claim
     * and can no longer commit.
     *
     * @param row the ledger's row
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
            logCleared(row);
        }
        return released;
    }

    /**
     * Notifies the observers on the calling thread of a manual release, because a hook may need its security context.
     * The time limit is the same as on a thread of the library.
     */
    private void notifyHere(ClaimRecovered event) {
        SweepObserver here = new SweepObserver(
                "The janitor hook of module '%s' (release by %s)".formatted(module, event.releasedBy()), ticks);
        releasing.add(here);
        try {
            listeners.keySet().forEach(listener -> here.callHere(inTenant(event, () -> listener.recovered(event))));
            here.callHere(inTenant(event, () -> publish(event)));
        } finally {
            releasing.remove(here);
        }
    }

    private static void logCleared(ClaimedRow row) {
        logger.warn(
                "{} {} was claimed, but it was deleted or is no longer in {}. The claim was removed, and the entity was not changed",
                row.entity(),
                LogText.of(row.id()),
                row.claimState());
    }

    private void notifyObservers(ClaimedRow row) {
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

    private void report(ClaimedRow row) {
        notifyListeners(listener -> listener.blocked(module));
        if (explained++ >= MOST_EXPLAINED) {
            // Explain only a few rows. Each explanation takes some time, and if many rows are blocked, the same
            // transaction usually blocks them all.
            unexplained++;
            return;
        }
        recoveries.tenants().run(row.tenant(), () -> explain(row));
    }

    private void explain(ClaimedRow row) {
        EntityTable table = recoveries.tableOf(row).orElseThrow();
        List<Blocker> blockers = Blockers.of(table, table.idOf(row.id()), recoveries.tenants());
        logger.warn(
                "{} {} is stuck in {}, was claimed at {}, and is held by {}. The next sweep will try again",
                row.entity(),
                LogText.of(row.id()),
                row.claimState(),
                row.claimedAt(),
                blockers);
        if (settings.terminateBlockers()) {
            for (Blocker blocker : blockers) {
                if (Blockers.end(table, blocker, settings.stuckAfter())) {
                    logger.warn("Ended the session of {}, because its transaction holds a stuck entity", blocker);
                } else {
                    logger.warn(
                            "Did not end the session of {}. Its transaction has ended, or is younger than stuck-after ({})",
                            blocker,
                            DurationText.of(settings.stuckAfter()));
                }
            }
        }
    }

    private static void safely(Runnable observer) {
        try {
            observer.run();
        } catch (Throwable failed) {
            logger.warn("An observer of the sweep threw an exception. The sweep continues", failed);
        }
    }
}
