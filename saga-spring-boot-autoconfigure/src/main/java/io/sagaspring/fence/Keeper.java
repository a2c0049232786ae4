package io.sagaspring.fence;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heartbeat keeper: renews every lease that this node holds. A node has one keeper.
 *
 * <ol>
 *   <li>A thread and a connection that only the keeper uses renew the leases, so that no load of the application can
 *       starve the keeper. The connection is opened when the keeper first has something to renew. A second thread only
 *       checks the time-outs.
 *   <li>At every heartbeat, one statement per table renews all rows, by the database's clock.
 *   <li>If a row no longer has the expected token, another owner has taken over the lease, or a person has released the
 *       lease. The keeper then interrupts the work under that lease.
 *   <li>Leases in another database or store are renewed on a separate thread, so that a slow one delays only the
 *       renewal of its own leases.
 *   <li>If the database cannot be reached, the keeper interrupts all work before the leases end by this node's clock.
 *   <li>The keeper interrupts work that exceeds its maximum duration, and no longer renews the lease of that work.
 * </ol>
 *
 * @since 0.1.0
 */
public final class Keeper implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Keeper.class);

    private final HeartbeatConnection connection;
    private final Duration interval;
    private final ElapsedClock ticks;
    private final BooleanSupplier inRequest;
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final Loops loops = new Loops();
    private final List<Loop> ownLoops = new CopyOnWriteArrayList<>();

    private final Renewals renewals;
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile @Nullable Throwable trouble;
    private volatile boolean closed;

    /**
     * Creates a keeper that sends no heartbeats yet.
     *
     * @param own the data source of the keeper's own connection
     * @param interval the time between two heartbeats
     * @param ticks the clock that measures elapsed time on this node
     */
    public Keeper(DataSource own, Duration interval, ElapsedClock ticks) {
        this(own, interval, ticks, () -> false);
    }

    /**
     * Creates a keeper that sends no heartbeats yet.
     *
     * @param own the data source of the keeper's own connection
     * @param interval the time between two heartbeats
     * @param ticks the clock that measures elapsed time on this node
     * @param inRequest the check that returns true if the current thread serves a web request
     */
    public Keeper(DataSource own, Duration interval, ElapsedClock ticks, BooleanSupplier inRequest) {
        this.connection = new HeartbeatConnection(own, interval);
        this.interval = interval;
        this.ticks = ticks;
        this.inRequest = inRequest;
        this.renewals = new Renewals(connection, interval, ticks);
    }

    /**
     * Returns a source of connections outside the pool for a keeper. If such a connection is refused or cannot renew
     * leases, the source takes one from the pool.
     *
     * @param own the data source of connections outside the pool
     * @param pool the pool
     * @param probe a statement that fails on a connection that cannot renew leases
     * @return the source, which has not opened a connection yet
     */
    public static DataSource besides(DataSource own, DataSource pool, String probe) {
        return new DedicatedConnection(own, pool, probe);
    }

    /** Starts the heartbeats. Does nothing if they have already started. */
    public void start() {
        if (started.compareAndSet(false, true)) {
            Duration watchInterval = interval.dividedBy(4);
            Duration silence = interval.multipliedBy(10).plusSeconds(1);
            ownLoops.add(loops.start(
                    new Loop.Settings("saga-keeper", interval, interval, silence),
                    () -> {
                        beat();
                        return interval;
                    },
                    failed -> logger.warn(
                            "A heartbeat failed; will try again in {}", DurationText.of(interval), failed)));
            ownLoops.add(loops.start(
                    new Loop.Settings("saga-keeper-watch", interval, watchInterval, silence),
                    () -> {
                        watch();
                        return watchInterval;
                    },
                    failed -> logger.warn(
                            "Checking the time-outs of the leases that this node holds failed; will try again",
                            failed)));
        }
    }

    /**
     * Returns the registry of this node's loops, which also contains the keeper's own loops.
     *
     * @return the registry, on which other components start their loops
     */
    public Loops loops() {
        return loops;
    }

    /**
     * Returns leases in another database, which are renewed on a thread of their own.
     *
     * @param rows the table and the statements that renew its rows
     * @param connections the connections of the other database
     * @param description a name for the rows, with which messages about them begin
     * @return the leases
     */
    public SeparateRows separately(RenewableRows rows, DataSource connections, String description) {
        return new SeparateRows(rows, connections, interval, ticks, description);
    }

    /** {@return the current time of this node's clock; read the clock before you acquire a lease} */
    public Duration now() {
        return ticks.now();
    }

    /**
     * Renews a lease that was acquired just now, until its hold is closed or the work must stop.
     *
     * @param table the table or store of the lease
     * @param held the lease
     * @param ttl the time after which another owner may take over, measured from the last heartbeat
     * @param maximum the maximum duration of the work under the lease
     * @return the hold; close it when the work has ended
     */
    public Hold keep(RenewableLeases table, HeldLease held, Duration ttl, Duration maximum) {
        return keep(table, held, ttl, maximum, now());
    }

    /**
     * Renews a lease from now on, until its hold is closed or the work must stop.
     *
     * @param table the table or store of the lease
     * @param held the lease
     * @param ttl the time after which another owner may take over, measured from the last heartbeat
     * @param maximum the maximum duration of the work under the lease
     * @param since the value of {@link #now()} before the lease was acquired
     * @return the hold; close it when the work has ended
     */
    public Hold keep(RenewableLeases table, HeldLease held, Duration ttl, Duration maximum, Duration since) {
        Hold.Limits limits = new Hold.Limits(ttl, interval, maximum);
        Hold hold = new Hold(held, table, limits, since, ticks, holds::remove, inRequest.getAsBoolean());
        holds.add(hold);
        if (closed) {
            hold.stop(Hold.Stop.CLOSING);
        }
        return hold;
    }

    /** {@return the holds of all leases that this node currently holds} */
    public Collection<Hold> holds() {
        return List.copyOf(holds);
    }

    /**
     * {@return the failure of the latest heartbeat, which is the reason why the keeper cannot renew, or null if that
     * heartbeat succeeded}
     */
    public @Nullable Throwable trouble() {
        return trouble;
    }

    /**
     * Sends one heartbeat and checks the time-outs. The keeper's thread calls this method. A test can call this method
     * instead of waiting for a heartbeat.
     */
    public void beat() {
        try {
            renewals.renew(holds);
            trouble = null;
        } catch (Throwable failed) {
            boolean isNew = trouble == null;
            trouble = failed;
            if (isNew) {
                logger.warn(
                        "Cannot renew some or all of the leases that this node holds; will try again in {}",
                        DurationText.of(interval),
                        failed);
            }
        }
        watch();
    }

    /**
     * Checks the time-outs. A second thread also calls this method, because a heartbeat that hangs must not delay the
     * interrupts.
     */
    void watch() {
        Throwable first = null;
        for (Hold hold : holds) {
            try {
                if (hold.stop() == null) {
                    hold.stopIfOverdue();
                    warnIfStopped(hold);
                }
            } catch (Throwable failed) {
                // The failure of one check must not prevent the checks of the other holds.
                first = first == null ? failed : first;
            }
            hold.watch();
        }
        if (first != null) {
            throw new IllegalStateException("The time-outs of some leases could not be checked", first);
        }
    }

    /**
     * Interrupts the work under the selected leases, because the node is shutting down.
     *
     * @param which the condition that selects the leases
     */
    public void interrupt(Predicate<Hold> which) {
        holds.stream().filter(which).forEach(hold -> {
            hold.stop(Hold.Stop.CLOSING);
            warnIfStopped(hold);
        });
    }

    /**
     * Waits until this node no longer holds any of the selected leases.
     *
     * @param which the condition that selects the leases
     * @param patience the longest time to wait
     */
    public void awaitEnd(Predicate<Hold> which, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        try {
            while (holds.stream().anyMatch(which) && System.nanoTime() < deadline) {
                Thread.sleep(10);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops the heartbeats, interrupts all work and closes the keeper's connection. If the work does not release its
     * lease, the lease expires.
     */
    @Override
    public void close() {
        closed = true;
        ownLoops.forEach(Loop::interrupt);
        ownLoops.forEach(loops::forget);
        renewals.close();
        interrupt(hold -> hold.stop() == null);
        connection.close();
    }

    static void warnIfStopped(Hold hold) {
        Hold.Stop stop = hold.stop();
        if (stop != null) {
            logger.warn(
                    "Interrupted the work on {} after {}: {}", hold.held(), DurationText.of(hold.age()), stop.reason());
        }
    }
}
