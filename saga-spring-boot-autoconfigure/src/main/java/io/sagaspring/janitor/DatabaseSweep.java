package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimRecovery.Recovered;
import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.database.Database;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.LogText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sweep of one module in one database. The scheduled sweeps of several databases run on separate threads. */
final class DatabaseSweep {

    private static final Logger logger = LoggerFactory.getLogger(Sweep.class);
    private static final int BATCH = 500;
    private static final int MOST_EXPLAINED = 10;

    private final Sweep sweep;
    private final String module;
    private final Sweep.Settings settings;
    private final Database database;
    private final ClaimRecovery recoveries;
    private final Orphans orphans;
    private final ElapsedClock ticks;
    private final Predicate<String> pauses;
    private volatile @Nullable Duration lastBegun;
    private volatile @Nullable Duration lastEnded;
    private volatile boolean paused;
    private int explained;
    private int unexplained;
    private SweepFailures failures = new SweepFailures();

    DatabaseSweep(Sweep sweep, Database database, SweepTools tools) {
        this.sweep = sweep;
        this.module = sweep.module();
        this.settings = sweep.settings();
        this.database = database;
        this.recoveries = tools.recoveries();
        this.orphans = tools.orphans();
        this.ticks = tools.ticks();
        this.pauses = tools.paused();
    }

    @Nullable
    Duration lag() {
        Duration ended = lastEnded;
        return ended == null ? null : ticks.now().minus(ended);
    }

    void runIfDue() {
        Duration begun = lastBegun;
        // Sweep at the last tick before the interval ends, because the tick after the end would be too late.
        Duration due = settings.interval().minus(settings.tick());
        if (sweep.isRunning() && (begun == null || ticks.now().minus(begun).compareTo(due) >= 0)) {
            lastBegun = ticks.now();
            int unused = run();
        }
    }

    /** Returns true if the latest sweep was left out because the janitor is paused. */
    boolean isPaused() {
        return paused;
    }

    /** Sweeps now unless the janitor is paused, and returns the number of freed entities. */
    int run() {
        failures = new SweepFailures();
        boolean left = false;
        boolean finished = false;
        try {
            left = pauses.test(module);
            if (left) {
                return 0;
            }
            searchForOrphans();
            int freed = freeAll();
            finished = true;
            lastEnded = ticks.now();
            return freed;
        } finally {
            paused = left;
            if (!left) {
                failures.report(module);
                sweep.ended(!finished);
            }
        }
    }

    /**
     * Searches for orphans. If the search fails, the sweep continues and reverts the claims that are known to be stuck.
     * But if no listed tenant uses the database any longer, the sweep fails, too.
     */
    private void searchForOrphans() {
        try {
            orphans.searchIfDue(database, module);
        } catch (RuntimeException failed) {
            if (!recoveries.databases().isListed(database)) {
                throw failed;
            }
            logger.error(
                    "The janitor of module '{}' could not search for entities in a claim state without a claim",
                    module,
                    failed);
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
            hints = new ArrayList<>(recoveries.stuck(database, module, settings.stuckAfter(), notFreed, BATCH));
            // Other nodes sweep the same rows at the same time. If all nodes used the same order, they would compete
            // for every row.
            Collections.shuffle(hints);
            for (ClaimedRow row : hints) {
                if (!sweep.isRunning()) {
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
                    "Module '{}' has further stuck entities that transactions hold (number: {}). The next sweep will try again",
                    module,
                    unexplained);
        }
        return freed;
    }

    /**
     * Tries blocked rows once more, because another node's sweep may have held a row briefly. If a row is still
     * blocked, a long transaction holds it.
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

    /**
     * Frees the entity of one row. Returns null after an exception, so that the sweep continues with the other rows.
     */
    private @Nullable Recovered free(ClaimedRow row) {
        try {
            Recovered recovered = recoveries.recover(database, row, settings.stuckAfter());
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
                    sweep.notifyObservers(row);
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

    static void logCleared(ClaimedRow row) {
        logger.warn(
                "{} {} was claimed, but it was deleted or no longer has the status {}. The claim was removed, and the entity was not changed",
                row.entity(),
                LogText.of(row.id()),
                row.claimState());
    }

    private void report(ClaimedRow row) {
        sweep.blocked();
        if (explained++ >= MOST_EXPLAINED) {
            // Search for the blockers of only a few rows. If many rows are blocked, usually the same transaction blocks
            // them all.
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
                blockers.isEmpty() ? "a transaction that could not be found" : blockers);
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
}
