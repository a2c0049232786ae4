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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps alive what this node holds, one per node:
 *
 * <ol>
 *   <li>One thread and one connection of its own renew, so that no load of the application can starve it; a second
 *       thread only looks at the clock. The connection is opened when there is first something to renew.
 *   <li>At every beat one statement per table renews all rows, by the database's clock.
 *   <li>A row whose token is no longer there was taken over: its worker is interrupted.
 *   <li>What lies elsewhere is asked on a thread of its own, so that only its own holders wait for it.
 *   <li>If the database cannot be reached, every worker is interrupted before its time is over by this node's clock.
 *   <li>Work that lasts longer than its maximum is interrupted and no longer renewed.
 * </ol>
 *
 * @since 0.1.0
 */
public final class Keeper implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Keeper.class);

    private static final int BATCH = 250;

    private final HeartbeatConnection connection;
    private final Duration beat;
    private final ElapsedClock ticks;
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();
    private final Loops loops = new Loops();
    private final List<Loop> mine = new CopyOnWriteArrayList<>();

    /** For who is asked over a client of its own, and may take as long as that waits. */
    private final ExecutorService apart;

    private final Map<RenewableLeases, Future<?>> asked = new ConcurrentHashMap<>();
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile @Nullable Throwable trouble;
    private volatile boolean closed;

    /**
     * A keeper that has not begun to beat.
     *
     * @param own gives it a connection that nobody else uses
     * @param beat time between two renewals
     * @param ticks measures what passes on this node
     */
    public Keeper(DataSource own, Duration beat, ElapsedClock ticks) {
        this.connection = new HeartbeatConnection(own, beat);
        this.beat = beat;
        this.ticks = ticks;
        this.apart = Executors.newCachedThreadPool(Keeper::thread);
    }

    /**
     * Opens connections for a keeper beside the pool, and takes one of the pool where that is refused.
     *
     * @param own opens connections beside the pool
     * @param pool the pool
     * @param probe a statement that fails on a connection that cannot renew
     * @return a source that has opened nothing yet
     */
    public static DataSource besides(DataSource own, DataSource pool, String probe) {
        return new DedicatedConnection(own, pool, probe);
    }

    private static Thread thread(Runnable work) {
        Thread made = new Thread(work, "saga-keeper");
        made.setDaemon(true);
        return made;
    }

    /** Begins to beat. Where it beats already, it goes on. */
    public void start() {
        if (started.compareAndSet(false, true)) {
            Duration often = beat.dividedBy(4);
            Duration silence = beat.multipliedBy(10).plusSeconds(1);
            mine.add(loops.start(
                    new Loop.Settings("saga-keeper", beat, beat, silence),
                    () -> {
                        beat();
                        return beat;
                    },
                    failed -> logger.warn("A heartbeat failed; will try again in {}", beat, failed)));
            mine.add(loops.start(
                    new Loop.Settings("saga-keeper-watch", beat, often, silence),
                    () -> {
                        watch();
                        return often;
                    },
                    failed -> logger.warn("Watching what this node holds failed; will try again", failed)));
        }
    }

    /**
     * Knows the loops of this node, the keeper's own included.
     *
     * @return where other loops are started, too
     */
    public Loops loops() {
        return loops;
    }

    /**
     * What this node's clock shows.
     *
     * @return to be read before something is taken
     */
    public Duration now() {
        return ticks.now();
    }

    /**
     * Keeps a row that was taken at this moment.
     *
     * @param table the table it is in
     * @param held the row
     * @param window after how much silence somebody else may take it
     * @param maximum for how long it is renewed at most
     * @return to be closed when the work is over
     */
    public Hold keep(RenewableLeases table, HeldLease held, Duration window, Duration maximum) {
        return keep(table, held, window, maximum, now());
    }

    /**
     * Keeps a row from now on.
     *
     * @param table the table it is in
     * @param held the row
     * @param window after how much silence somebody else may take it
     * @param maximum for how long it is renewed at most
     * @param since what {@link #now()} was before it was taken
     * @return to be closed when the work is over
     */
    public Hold keep(RenewableLeases table, HeldLease held, Duration window, Duration maximum, Duration since) {
        Hold hold = new Hold(held, table, new Hold.Limits(window, beat, maximum), since, ticks, holds::remove);
        holds.add(hold);
        if (closed) {
            hold.stop(Hold.Stop.CLOSING);
        }
        return hold;
    }

    /**
     * What this node holds.
     *
     * @return the holds at this moment
     */
    public Collection<Hold> holds() {
        return List.copyOf(holds);
    }

    /**
     * What keeps it from renewing.
     *
     * @return the failure of the latest beat, or null if it went well
     */
    public @Nullable Throwable trouble() {
        return trouble;
    }

    /** One beat, and a judgement. They are called by the keeper's threads; a test calls it instead of waiting. */
    public void beat() {
        try {
            renewAll();
            trouble = null;
        } catch (Throwable failed) {
            boolean isNew = trouble == null;
            trouble = failed;
            if (isNew) {
                logger.warn("Cannot renew what this node holds; will try again in {}", beat, failed);
            }
        }
        watch();
    }

    /** On a thread of its own, too: a beat that hangs must not keep the workers from being told. */
    void watch() {
        Throwable first = null;
        for (Hold hold : holds) {
            try {
                if (hold.stop() == null) {
                    hold.stopIfOverdue();
                    warnIfStopped(hold);
                }
            } catch (Throwable failed) {
                // The others must be told none the less.
                first = first == null ? failed : first;
            }
            hold.watch();
        }
        if (first != null) {
            throw new IllegalStateException("Not every hold could be judged", first);
        }
    }

    /**
     * Interrupts what this node does to rows of a table, because the node closes.
     *
     * @param table the table
     */
    public void interrupt(RenewableLeases table) {
        interrupt(hold -> hold.table() == table);
    }

    private void interrupt(Predicate<Hold> which) {
        holds.stream().filter(which).forEach(hold -> {
            hold.stop(Hold.Stop.CLOSING);
            warnIfStopped(hold);
        });
    }

    /**
     * Waits until nothing of a table is held by this node.
     *
     * @param table the table
     * @param patience for how long
     */
    public void awaitEnd(RenewableLeases table, Duration patience) {
        long giveUp = System.nanoTime() + patience.toNanos();
        try {
            while (holds.stream().anyMatch(hold -> hold.table() == table) && System.nanoTime() < giveUp) {
                Thread.sleep(10);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops beating, and gives its connection back. What is held is left to expire, and who still works on it is stopped. */
    @Override
    public void close() {
        closed = true;
        mine.forEach(Loop::interrupt);
        mine.forEach(loops::forget);
        apart.shutdownNow();
        interrupt(hold -> hold.stop() == null);
        connection.close();
    }

    /** One that cannot be reached, or does not answer, keeps nobody else from being renewed. */
    private void renewAll() throws Throwable {
        Map<RenewableLeases, List<Hold>> byTable =
                holds.stream().filter(hold -> hold.stop() == null).collect(groupingBy(Hold::table));
        Throwable first = null;
        for (Map.Entry<RenewableLeases, List<Hold>> each : byTable.entrySet()) {
            first = firstOf(first, () -> {
                if (!each.getKey().usesConnection()) {
                    ask(each.getKey(), each.getValue());
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
        long giveUp = System.nanoTime() + beat.toNanos() / 4;
        for (RenewableLeases each : byTable.keySet()) {
            first = firstOf(first, () -> {
                if (!each.usesConnection()) {
                    awaitAnswer(each, giveUp - System.nanoTime());
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

    /** A connection may have broken since the last beat, and the next one would come too late. */
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

    /** Who has not answered yet is not asked again. */
    private void ask(RenewableLeases table, List<Hold> holds) {
        Future<?> before = asked.get(table);
        if (before == null || before.isDone()) {
            asked.put(table, apart.submit(() -> {
                // Each batch counts when its answer comes, and not when the last one does.
                for (int from = 0; from < holds.size(); from += BATCH) {
                    renew(table, Keeper::none, holds.subList(from, Math.min(holds.size(), from + BATCH)));
                }
                return null;
            }));
        }
    }

    private void awaitAnswer(RenewableLeases table, long nanos) throws Exception {
        Future<?> answer = asked.get(table);
        try {
            if (answer != null) {
                answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            }
        } catch (TimeoutException hanging) {
            throw new TimeoutException("%s does not answer".formatted(table));
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
    }

    private static Connection none() throws SQLException {
        throw new SQLException("There is a connection only for what says that it uses one.");
    }

    private void renew(RenewableLeases table, RenewableLeases.Connecting connecting, List<Hold> holds)
            throws Exception {
        // Before the statement: by the database's clock the renewal is not older than this.
        Duration asked = ticks.now();
        Set<HeldLease> renewed = table.renew(connecting, rows(holds));
        List<Hold> left =
                holds.stream().filter(hold -> !renewed.contains(hold.held())).toList();
        holds.stream().filter(hold -> renewed.contains(hold.held())).forEach(hold -> hold.renewedAt(asked));
        if (!left.isEmpty()) {
            Set<HeldLease> locked = table.stillHeld(connecting, rows(left));
            for (Hold hold : left) {
                // Whose work is over may have removed the row itself.
                if (!locked.contains(hold.held()) && !hold.isOver()) {
                    hold.stop(Hold.Stop.TAKEN);
                    warnIfStopped(hold);
                }
            }
        }
    }

    private static void warnIfStopped(Hold hold) {
        Hold.Stop stop = hold.stop();
        if (stop != null) {
            logger.warn("Interrupted the work on {} after {}: {}", hold.held(), hold.age(), stop.reason());
        }
    }

    private static Set<HeldLease> rows(List<Hold> holds) {
        return holds.stream().map(Hold::held).collect(toSet());
    }
}
