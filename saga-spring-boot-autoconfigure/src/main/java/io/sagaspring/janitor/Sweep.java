package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.claim.Recoveries;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Ticks;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

/** The sweep of one module: what has been silent for longer than the window goes back to where it was claimed from. */
public final class Sweep {

    private static final Logger logger = LoggerFactory.getLogger(Sweep.class);
    private static final int BATCH = 500;
    private static final int EXPLAINED = 10;

    private final String module;
    private final Settings settings;
    private final Recoveries recoveries;
    private final Orphans orphans;
    private final Ticks ticks;
    private final BooleanSupplier running;
    private final List<SweepListener> listeners;
    private final ApplicationEventPublisher events;
    private final Consumer<ClaimRecovered> hook;
    private volatile @Nullable Duration lastBegun;
    private volatile @Nullable Duration lastEnded;
    private int explained;

    /**
     * What may be set for a module.
     *
     * @param interval time between two sweeps
     * @param tick time between two chances to sweep
     * @param window how long an owner may be silent
     * @param terminateBlockers whether a backend that holds a stuck entity is ended
     */
    public record Settings(Duration interval, Duration tick, Duration window, boolean terminateBlockers) {}

    Sweep(
            String module,
            Settings settings,
            Recoveries recoveries,
            Orphans orphans,
            Ticks ticks,
            BooleanSupplier running,
            Collection<SweepListener> listeners,
            ApplicationEventPublisher events,
            Consumer<ClaimRecovered> hook) {
        this.module = module;
        this.settings = settings;
        this.recoveries = recoveries;
        this.orphans = orphans;
        this.ticks = ticks;
        this.running = running;
        this.listeners = List.copyOf(listeners);
        this.events = events;
        this.hook = hook;
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

    /** Sweeps, unless the application is not ready or the interval is not over. */
    public void runIfTime() {
        Duration begun = lastBegun;
        // Half a tick of tolerance: the scheduler is never exact, and one tick too late would double the interval.
        Duration due = settings.interval().minus(settings.tick().dividedBy(2));
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
        try {
            searchForOrphans();
            int freed = freeAll();
            finished = true;
            lastEnded = ticks.now();
            return freed;
        } finally {
            boolean failed = !finished;
            listeners.forEach(listener -> safely(() -> listener.swept(module, failed)));
        }
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
        Set<FencingToken> left = new HashSet<>();
        List<ClaimedRow> hints;
        do {
            hints = recoveries.stuck(module, settings.window(), BATCH + left.size()).stream()
                    .filter(row -> !left.contains(row.token()))
                    .toList();
            for (ClaimedRow row : hints) {
                if (free(row)) {
                    freed++;
                } else {
                    left.add(row.token());
                }
            }
        } while (!hints.isEmpty() && left.size() < BATCH);
        return freed;
    }

    /** One row that breaks must not keep the rest from being freed. */
    private boolean free(ClaimedRow row) {
        try {
            return switch (recoveries.recover(row, settings.window())) {
                case FREED -> {
                    logger.warn(
                            "Freed {} {} from {} back to {}: claimed {} ago by {} on node {}, and silent for {}",
                            row.entity(),
                            row.id(),
                            row.claimState(),
                            row.revertTo(),
                            row.age(),
                            row.requester(),
                            row.node(),
                            row.silentFor());
                    tell(row, null);
                    yield true;
                }
                case CLEARED -> {
                    sayCleared(row);
                    yield true;
                }
                case PASSED_BY -> true;
                case BLOCKED -> {
                    report(row);
                    yield false;
                }
                case UNKNOWN -> {
                    logger.warn(
                            "{} {} is stuck in {}, and no workflow of this node is about it. Left to a node that knows it",
                            row.entity(),
                            row.id(),
                            row.claimState());
                    yield false;
                }
            };
        } catch (RuntimeException failed) {
            logger.error("Could not free {} {} from {}", row.entity(), row.id(), row.claimState(), failed);
            return false;
        }
    }

    /**
     * Frees one entity now, at a person's request and however alive its owner is: what that does then is not committed.
     *
     * @param row what is claimed
     * @param by the person
     * @return what became of it
     */
    public Recoveries.Recovered release(ClaimedRow row, String by) {
        Recoveries.Recovered released = recoveries.release(row);
        if (released == Recoveries.Recovered.FREED) {
            logger.warn(
                    "{} released {} {} from {} back to {}: claimed {} ago by {} on node {}, and silent for {}",
                    by,
                    row.entity(),
                    row.id(),
                    row.claimState(),
                    row.revertTo(),
                    row.age(),
                    row.requester(),
                    row.node(),
                    row.silentFor());
            tell(row, by);
        } else if (released == Recoveries.Recovered.CLEARED) {
            sayCleared(row);
        }
        return released;
    }

    private static void sayCleared(ClaimedRow row) {
        logger.warn(
                "{} {} was claimed and is gone, or not in {} any more. Removed the claim; the entity was left as it is",
                row.entity(),
                row.id(),
                row.claimState());
    }

    private void tell(ClaimedRow row, @Nullable String releasedBy) {
        ClaimRecovered event = new ClaimRecovered(
                row.module(),
                row.workflow(),
                row.entity(),
                row.id(),
                row.claimState(),
                row.revertTo(),
                row.requester(),
                row.node(),
                row.age(),
                releasedBy);
        listeners.forEach(listener -> safely(() -> listener.recovered(event)));
        safely(() -> events.publishEvent(event));
        safely(() -> hook.accept(event));
    }

    private void report(ClaimedRow row) {
        listeners.forEach(listener -> safely(() -> listener.blocked(module)));
        EntityTable table = recoveries.tableOf(row).orElseThrow();
        // Each explanation may take a moment, and what many wait for is mostly one and the same.
        List<Blocker> blockers = explained++ < EXPLAINED ? Blockers.of(table, table.id(row.id())) : List.of();
        logger.warn(
                "{} {} is stuck in {} since {}, and held by {}. The next sweep will try again",
                row.entity(),
                row.id(),
                row.claimState(),
                row.claimedAt(),
                blockers);
        if (settings.terminateBlockers()) {
            for (Blocker blocker : blockers) {
                logger.warn("Ending {}: {}", blocker, Blockers.end(table, blocker) ? "done" : "it was gone");
            }
        }
    }

    private static void safely(Runnable observer) {
        try {
            observer.run();
        } catch (Exception | LinkageError | AssertionError | StackOverflowError failed) {
            logger.warn("An observer of the sweep failed; the sweep goes on", failed);
        }
    }
}
