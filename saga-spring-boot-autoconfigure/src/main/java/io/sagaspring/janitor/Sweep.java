package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimRecovery.Recovered;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.entity.EntityTable;
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
 * The sweep of one module: what has been silent for longer than the window goes back to where it was claimed from.
 *
 * @since 0.1.0
 */
public final class Sweep {

    private static final Logger logger = LoggerFactory.getLogger(Sweep.class);
    private static final int BATCH = 500;
    private static final int EXPLAINED = 10;

    /** How long a sweep waits for its observers. All modules share the sweeping thread. */
    private static final Duration OBSERVED = Duration.ofSeconds(2);

    private final String module;
    private final Settings settings;
    private final ClaimRecovery recoveries;
    private final Orphans orphans;
    private final ElapsedClock ticks;
    private final BooleanSupplier running;
    private final Map<SweepListener, SweepObserver> listeners = new LinkedHashMap<>();
    private final ApplicationEventPublisher events;
    private final Consumer<ClaimRecovered> hook;
    private final SweepObserver follower;

    /** Those who are called on the threads of people that wait. */
    private final Set<SweepObserver> releasing = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Duration lastBegun;
    private volatile @Nullable Duration lastEnded;
    private int explained;
    private int unexplained;
    private int unknown;
    private SweepFailures failures = new SweepFailures();

    /**
     * What may be set for a module.
     *
     * @param interval time between two sweeps
     * @param tick time between two chances to sweep
     * @param window how long an owner may be silent
     * @param terminateBlockers whether a backend that holds a stuck entity is ended
     */
    public record Settings(Duration interval, Duration tick, Duration window, boolean terminateBlockers) {}

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
        this.follower = new SweepObserver("Module '%s': its janitor's hook".formatted(module), ticks);
    }

    /**
     * The module.
     *
     * @return its name
     */
    public String module() {
        return module;
    }

    /**
     * How long ago the latest sweep ended.
     *
     * @return the time passed on this node, or null before the first
     */
    public @Nullable Duration lag() {
        Duration ended = lastEnded;
        return ended == null ? null : ticks.now().minus(ended);
    }

    /**
     * What was set.
     *
     * @return the settings
     */
    public Settings settings() {
        return settings;
    }

    /**
     * Returns the observers of this module's sweeps that hang although they were interrupted.
     *
     * @return for how long, by what they are
     */
    public Map<String, Duration> hangingHooks() {
        Map<String, Duration> found = new LinkedHashMap<>();
        called().forEach(observer -> {
            Duration hanging = observer.hanging();
            if (hanging != null) {
                found.put(observer.toString(), hanging);
            }
        });
        return found;
    }

    private Stream<SweepObserver> observers() {
        return Stream.concat(listeners.values().stream(), Stream.of(follower));
    }

    private Stream<SweepObserver> called() {
        return Stream.concat(observers(), releasing.stream());
    }

    /** Sweeps, unless the application is not ready or the interval is not over. */
    public void runIfTime() {
        called().forEach(SweepObserver::interruptIfOverdue);
        Duration begun = lastBegun;
        // At the last tick before the interval is over: the one after it would be too late.
        Duration due = settings.interval().minus(settings.tick());
        if (running.getAsBoolean() && (begun == null || ticks.now().minus(begun).compareTo(due) >= 0)) {
            lastBegun = ticks.now();
            int unused = run();
        }
    }

    /**
     * Sweeps now.
     *
     * @return how many entities were freed
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
            tellListeners(listener -> listener.swept(module, failed));
            long giveUp = System.nanoTime() + OBSERVED.toNanos();
            observers().forEach(observer -> observer.settle(Duration.ofNanos(giveUp - System.nanoTime())));
        }
    }

    /** Waits until the given moment, in nanoseconds, for the observers to be told of what this sweep has freed. */
    void awaitObservers(long giveUp) {
        observers().forEach(observer -> observer.close(Duration.ofNanos(giveUp - System.nanoTime())));
    }

    /** Who is known to be stuck must not wait for a search that fails. */
    private void searchForOrphans() {
        try {
            orphans.searchIfTime(module);
        } catch (RuntimeException failed) {
            logger.error("Module '{}' could not search for entities without a claim", module, failed);
        }
    }

    private int freeAll() {
        int freed = 0;
        explained = 0;
        unexplained = 0;
        unknown = 0;
        Set<FencingToken> left = new HashSet<>();
        List<ClaimedRow> blocked = new ArrayList<>();
        List<ClaimedRow> hints;
        do {
            hints = new ArrayList<>(recoveries.stuck(module, settings.window(), left, BATCH));
            // Other nodes sweep the same rows. In the same order they would stand in each other's way at every one.
            Collections.shuffle(hints);
            for (ClaimedRow row : hints) {
                if (!running.getAsBoolean()) {
                    return freed;
                }
                Recovered recovered = free(row);
                if (recovered == Recovered.FREED) {
                    freed++;
                } else {
                    left.add(row.token());
                }
                if (recovered == Recovered.BLOCKED) {
                    blocked.add(row);
                }
            }
        } while (!hints.isEmpty());
        freed += freeBlocked(blocked);
        if (unknown > EXPLAINED) {
            logger.warn("{} more are stuck that no workflow of this node is about", unknown - EXPLAINED);
        }
        if (unexplained > 0) {
            logger.warn(
                    "Module '{}': {} more are held by transactions. The next sweep will try again",
                    module,
                    unexplained);
        }
        return freed;
    }

    /** What another sweep was just freeing is free by now. What is not is held by somebody who does not move. */
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

    /** One row that breaks must not keep the rest from being freed. */
    private Recovered free(ClaimedRow row) {
        try {
            Recovered recovered = recoveries.recover(row, settings.window());
            switch (recovered) {
                case FREED -> {
                    logger.warn(
                            "Freed {} {} from {} back to {}: claimed {} ago by {} on node {}, and silent for {}",
                            row.entity(),
                            LogText.of(row.id()),
                            row.claimState(),
                            row.revertTo(),
                            row.age(),
                            LogText.of(row.requester()),
                            LogText.of(row.node()),
                            row.silentFor());
                    tell(row);
                }
                case CLEARED -> sayCleared(row);
                case UNKNOWN -> sayUnknown(row);
                case PASSED_BY, BLOCKED ->
                    logger.debug("{} {} is left alone: {}", row.entity(), LogText.of(row.id()), recovered);
            }
            return recovered;
        } catch (RuntimeException failed) {
            failures.add(row, failed);
            return Recovered.UNKNOWN;
        }
    }

    private void sayUnknown(ClaimedRow row) {
        if (++unknown <= EXPLAINED) {
            logger.warn(
                    "{} {} is stuck in {}, and no workflow of this node is about it. Left to a node that knows it",
                    row.entity(),
                    LogText.of(row.id()),
                    row.claimState());
        }
    }

    /**
     * Frees one entity now, at a person's request and however alive its owner is: what that does then is not committed.
     *
     * @param row what is claimed
     * @param by the person
     * @return what became of it
     */
    public ClaimRecovery.Recovered release(ClaimedRow row, String by) {
        ClaimRecovery.Recovered released = recoveries.release(row);
        if (released == ClaimRecovery.Recovered.FREED) {
            logger.warn(
                    "Released {} {} from {} back to {}, as {} asked: claimed {} ago by {} on node {}, and silent for {}",
                    row.entity(),
                    LogText.of(row.id()),
                    row.claimState(),
                    row.revertTo(),
                    LogText.of(by),
                    row.age(),
                    LogText.of(row.requester()),
                    LogText.of(row.node()),
                    row.silentFor());
            tellHere(recovered(row, by));
        } else if (released == ClaimRecovery.Recovered.CLEARED) {
            sayCleared(row);
        }
        return released;
    }

    /** On the thread of the person, whose security context a hook may need; and for no longer than on a thread of ours. */
    private void tellHere(ClaimRecovered event) {
        SweepObserver here = new SweepObserver(
                "Module '%s': its janitor's hook for %s".formatted(module, event.releasedBy()), ticks);
        releasing.add(here);
        try {
            listeners.keySet().forEach(listener -> here.callHere(() -> listener.recovered(event)));
            here.callHere(() -> follow(event));
        } finally {
            releasing.remove(here);
        }
    }

    private static void sayCleared(ClaimedRow row) {
        logger.warn(
                "{} {} was claimed and is gone, or not in {} any more. Removed the claim; the entity was left as it is",
                row.entity(),
                LogText.of(row.id()),
                row.claimState());
    }

    private void tell(ClaimedRow row) {
        ClaimRecovered event = recovered(row, null);
        tellListeners(listener -> listener.recovered(event));
        follower.tell(() -> follow(event));
    }

    private void tellListeners(Consumer<SweepListener> call) {
        listeners.forEach((listener, observer) -> observer.tell(() -> call.accept(listener)));
    }

    private void follow(ClaimRecovered event) {
        safely(() -> events.publishEvent(event));
        safely(() -> hook.accept(event));
    }

    private static ClaimRecovered recovered(ClaimedRow row, @Nullable String releasedBy) {
        return new ClaimRecovered(
                row.module(),
                row.workflow(),
                row.entity(),
                LogText.of(row.id()),
                row.claimState(),
                row.revertTo(),
                row.requester(),
                row.node(),
                row.age(),
                releasedBy);
    }

    private void report(ClaimedRow row) {
        tellListeners(listener -> listener.blocked(module));
        if (explained++ >= EXPLAINED) {
            // Each explanation may take a moment, and what many wait for is mostly one and the same.
            unexplained++;
            return;
        }
        EntityTable table = recoveries.tableOf(row).orElseThrow();
        List<Blocker> blockers = Blockers.of(table, table.idOf(row.id()));
        logger.warn(
                "{} {} is stuck in {} since {}, and held by {}. The next sweep will try again",
                row.entity(),
                LogText.of(row.id()),
                row.claimState(),
                row.claimedAt(),
                blockers);
        if (settings.terminateBlockers()) {
            for (Blocker blocker : blockers) {
                boolean ended = Blockers.end(table, blocker, settings.window());
                logger.warn("Ending {}: {}", blocker, ended ? "done" : "it was gone, or younger than the window");
            }
        }
    }

    private static void safely(Runnable observer) {
        try {
            observer.run();
        } catch (Throwable failed) {
            logger.warn("An observer of the sweep failed; the sweep goes on", failed);
        }
    }
}
