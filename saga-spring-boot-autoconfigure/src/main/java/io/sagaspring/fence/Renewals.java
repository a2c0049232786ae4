package io.sagaspring.fence;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of this node at each heartbeat. Leases in the keeper's database are renewed over the keeper's
 * connection. Each other database or store has a thread of its own.
 */
final class Renewals implements AutoCloseable {

    private static final int BATCH = 250;

    /** The number of times that a heartbeat tries again to renew the rows that were locked. */
    private static final int TRIES = 50;

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(10);

    private final HeartbeatConnection connection;
    private final Duration interval;
    private final ElapsedClock ticks;

    /**
     * The threads that renew the leases in other databases and in stores. A thread may block until the store's client
     * gives up.
     */
    private final ExecutorService storeThreads = Executors.newCachedThreadPool(Renewals::thread);

    private final Map<RenewableLeases, Future<?>> pending = new ConcurrentHashMap<>();

    Renewals(HeartbeatConnection connection, Duration interval, ElapsedClock ticks) {
        this.connection = connection;
        this.interval = interval;
        this.ticks = ticks;
    }

    private static Thread thread(Runnable work) {
        Thread made = new Thread(work, "saga-keeper");
        made.setDaemon(true);
        return made;
    }

    /**
     * Renews the leases in all tables and stores. A table or store that cannot be reached, or does not reply, does not
     * prevent the renewal of the others.
     */
    void renew(Collection<Hold> holds) throws Throwable {
        Map<RenewableLeases, List<Hold>> byTable =
                holds.stream().filter(hold -> hold.stop() == null).collect(groupingBy(Hold::table));
        Throwable first = null;
        for (Map.Entry<RenewableLeases, List<Hold>> each : byTable.entrySet()) {
            first = firstOf(first, () -> {
                if (!each.getKey().usesConnection()) {
                    submit(each.getKey(), each.getValue());
                }
            });
        }
        for (Map.Entry<RenewableLeases, List<Hold>> each : byTable.entrySet()) {
            first = firstOf(first, () -> {
                if (each.getKey().usesConnection()) {
                    renewInTwoTries(each.getKey(), each.getValue());
                }
            });
        }
        long deadline = System.nanoTime() + interval.toNanos() / 4;
        for (RenewableLeases each : byTable.keySet()) {
            first = firstOf(first, () -> {
                if (!each.usesConnection()) {
                    awaitAnswer(each, deadline - System.nanoTime());
                }
            });
        }
        if (first != null) {
            throw first;
        }
    }

    @FunctionalInterface
    private interface Part {
        void run() throws Exception;
    }

    private static @Nullable Throwable firstOf(@Nullable Throwable before, Part part) {
        try {
            part.run();
            return before;
        } catch (Throwable failed) {
            return before == null ? failed : before;
        }
    }

    /**
     * Renews the leases of a table, and tries a second time if a statement fails, because the connection may have
     * broken since the last heartbeat. The leases might expire before the next heartbeat.
     */
    private void renewInTwoTries(RenewableLeases table, List<Hold> holds) throws Exception {
        try {
            renew(table, connection, holds);
        } catch (Throwable broken) {
            connection.closeAfter(broken);
            if (!(broken instanceof SQLException)) {
                throw broken;
            }
            try {
                renew(table, connection, holds);
            } catch (Throwable failed) {
                connection.closeAfter(failed);
                failed.addSuppressed(broken);
                throw failed;
            }
        }
    }

    /** Starts a renewal on another thread, unless the previous renewal of this table is still in progress. */
    private void submit(RenewableLeases table, List<Hold> holds) {
        Future<?> before = pending.get(table);
        if (before == null || before.isDone()) {
            pending.put(table, storeThreads.submit(() -> {
                // Renew in batches, so that the leases of a batch count as renewed as soon as the reply for this batch
                // arrives.
                for (int from = 0; from < holds.size(); from += BATCH) {
                    renew(table, Renewals::none, holds.subList(from, Math.min(holds.size(), from + BATCH)));
                }
                return null;
            }));
        }
    }

    private void awaitAnswer(RenewableLeases table, long nanos) throws Exception {
        Future<?> answer = pending.get(table);
        try {
            if (answer != null) {
                answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException hanging) {
            throw new TimeoutException("%s did not reply to the heartbeat in time".formatted(table));
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
    }

    private static Connection none() throws SQLException {
        throw new SQLException("This store gets no connection because its usesConnection() is false.");
    }

    /**
     * Renews leases. A renewal skips a locked row. If work changes its row all the time, as a run with short steps does,
     * the row is locked at most moments. Therefore tries again for a short time: otherwise this work might lose its
     * lease after a few heartbeats.
     */
    private void renew(RenewableLeases table, RenewableLeases.Connecting connecting, List<Hold> holds)
            throws Exception {
        List<Hold> locked = renewUnlocked(table, connecting, holds, true);
        long end = System.nanoTime() + interval.toNanos() / 20;
        for (int tries = 0; !locked.isEmpty() && tries < TRIES && System.nanoTime() < end; tries++) {
            LockSupport.parkNanos(Math.min(interval.toNanos() / 1000, LONGEST_PAUSE.toNanos()));
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            locked = renewUnlocked(table, connecting, locked, false);
        }
    }

    /**
     * Renews the leases whose rows are not locked, and returns those whose rows are.
     *
     * @param stops true if work without a row is stopped. A row that was locked a moment ago may be missing because the
     *     work itself is just ending, so only the next heartbeat stops such work
     */
    private List<Hold> renewUnlocked(
            RenewableLeases table, RenewableLeases.Connecting connecting, List<Hold> holds, boolean stops)
            throws Exception {
        // Read the time before sending the statement, so that the lease never ends earlier in the database than this
        // node expects.
        Duration before = ticks.now();
        Set<HeldLease> renewed = table.renew(connecting, rows(holds));
        List<Hold> notRenewed =
                holds.stream().filter(hold -> !renewed.contains(hold.held())).toList();
        holds.stream().filter(hold -> renewed.contains(hold.held())).forEach(hold -> hold.renewedAt(before));
        if (notRenewed.isEmpty()) {
            return List.of();
        }
        Set<HeldLease> locked = table.stillHeld(connecting, rows(notRenewed));
        for (Hold hold : notRenewed) {
            // If the work has ended, this node itself may have removed the row. A missing row then does not mean that
            // another owner has taken over.
            if (stops && !locked.contains(hold.held()) && !hold.isEnding()) {
                hold.stop(Hold.Stop.TAKEN);
                Keeper.warnIfStopped(hold);
            }
        }
        return notRenewed.stream()
                .filter(hold -> locked.contains(hold.held()) && hold.stop() == null && !hold.isEnding())
                .toList();
    }

    private static Set<HeldLease> rows(List<Hold> holds) {
        return holds.stream().map(Hold::held).collect(toSet());
    }

    /** Interrupts the renewals on the other threads. The keeper closes its connection itself. */
    @Override
    public void close() {
        storeThreads.shutdownNow();
    }
}
