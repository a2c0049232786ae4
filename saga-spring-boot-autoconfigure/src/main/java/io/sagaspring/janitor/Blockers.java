package io.sagaspring.janitor;

import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.LogText;
import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Finds out who holds an entity, by waiting for it for a moment on one connection and asking on another whom that one
 * waits for. Waiting takes a thread, too, and the one that asks is not free for it. The row itself does not tell reliably: it may be locked by several at once.
 */
final class Blockers {

    private static final Logger logger = LoggerFactory.getLogger(Blockers.class);

    /** Shorter than any window, so that no other node takes this probe for the one to blame. */
    private static final int WAIT_MILLIS = 500;

    /**
     * Bounds how long each of the two threads waits for the other's connection. The probe begins when both have one. Its
     * transaction may be older than a window then: a janitor that ends it costs the pool a connection, and nothing else.
     */
    private static final int CONNECTION_MILLIS = 5_000;

    private static final Sql END = Sql.named("janitor.end-blocker", """
            SELECT pg_catalog.pg_terminate_backend(pid) AS ended FROM pg_catalog.pg_stat_activity
            WHERE pid = :pid AND backend_start = :backend AND xact_start = :transaction
            AND xact_start < clock_timestamp() - :window * INTERVAL '1 millisecond'""");

    /** Of a queue the waiter sees only who is first: that one has the lock of the row's place, and waits for who has the row. */
    private static final Sql BLOCKERS = Sql.named("janitor.blockers", """
            WITH waited (pid) AS (
                SELECT pg_catalog.unnest(pg_catalog.pg_blocking_pids(:pid))
                UNION SELECT pg_catalog.unnest(pg_catalog.pg_blocking_pids(first.pid))
                FROM pg_catalog.pg_locks AS mine
                JOIN pg_catalog.pg_locks AS first USING (locktype, database, relation, page, tuple)
                WHERE locktype = 'tuple' AND mine.pid = :pid AND NOT mine.granted AND first.granted)
            SELECT a.pid, concat_ws(', ', a.usename, a.application_name, host(a.client_addr), a.state,
                'in its transaction since ' || a.xact_start) AS who, a.backend_start, a.xact_start
            FROM pg_catalog.pg_stat_activity AS a JOIN waited USING (pid)
            WHERE a.xact_start IS NOT NULL
            AND pg_catalog.cardinality(pg_catalog.pg_blocking_pids(a.pid)) = 0""");

    private static final Sql WAIT = Sql.named("janitor.wait", """
            SELECT pg_catalog.pg_backend_pid() AS pid, set_config('lock_timeout', :patience, true)""");

    private static final Sql PAUSE = Sql.named("janitor.pause", "SELECT pg_catalog.pg_sleep(0.02)");

    private Blockers() {}

    /** What the waiting thread and the asking one tell each other. */
    private static final class Probe {

        /** The backend that is about to wait. */
        private final CompletableFuture<Integer> pid = new CompletableFuture<>();

        /** The asking thread has its connection. */
        private final CompletableFuture<Void> asked = new CompletableFuture<>();

        private final CompletableFuture<Void> over = new CompletableFuture<>();
    }

    /** Those that wait for nobody themselves. Who only stands in the same queue is not to blame. */
    static List<Blocker> of(EntityTable table, Object id) {
        Probe probe = new Probe();
        Thread waiter = new Thread(() -> waitFor(table, id, probe), "saga-janitor-waits");
        waiter.setDaemon(true);
        try {
            waiter.start();
            int pid = probe.pid.get(CONNECTION_MILLIS, TimeUnit.MILLISECONDS);
            return table.own().single(connection -> {
                probe.asked.complete(null);
                return blockersOf(connection, pid, probe.over);
            });
        } catch (ExecutionException | TimeoutException | DataAccessException | Error failed) {
            logger.debug("Could not find out who holds {} {}", table, LogText.of(id), failed);
            return List.of();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return List.of();
        } finally {
            probe.asked.cancel(false);
            // A waiter that is left would get the row when its holder ends, and the next sweep would pass the row over.
            probe.over
                    .completeOnTimeout(null, 2 * WAIT_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    /**
     * Ends the backend's session, and with it the transaction that it holds open: this one, and only if it has been open
     * for longer than the window. A backend of a pool serves somebody else a moment later.
     */
    static boolean end(EntityTable table, Blocker blocker, Duration window) {
        return table.own()
                .single(connection -> END.on(connection)
                        .with("pid", blocker.pid())
                        .with("backend", (statement, index) -> statement.setObject(index, blocker.backendStart()))
                        .with(
                                "transaction",
                                (statement, index) -> statement.setObject(index, blocker.transactionStart()))
                        .with("window", window.toMillis())
                        .first(row -> row.is("ended")))
                .orElse(false);
    }

    private static void waitFor(EntityTable table, Object id, Probe probe) {
        try {
            boolean unused = table.own().together(connection -> {
                probe.pid.complete(WAIT.on(connection)
                        .with("patience", WAIT_MILLIS + "ms")
                        .first(row -> row.integer("pid"))
                        .orElseThrow());
                probe.asked.orTimeout(CONNECTION_MILLIS, TimeUnit.MILLISECONDS).join();
                return table.lock(connection, id).isPresent();
            });
        } catch (RuntimeException | Error expected) {
            probe.pid.completeExceptionally(expected);
        } finally {
            probe.over.complete(null);
        }
    }

    private static List<Blocker> blockersOf(Connection connection, int pid, CompletableFuture<Void> over)
            throws SQLException {
        // The waiter may not stand in the queue yet: ask again for as long as it waits.
        List<Blocker> found = List.of();
        for (boolean first = true; found.isEmpty() && !over.isDone(); first = false) {
            if (!first) {
                pause(connection);
            }
            found = BLOCKERS.on(connection)
                    .with("pid", pid)
                    .list(row -> new Blocker(
                            row.integer("pid"), row.text("who"), row.time("backend_start"), row.time("xact_start")));
        }
        return found;
    }

    /** Asking locks the server's lock table. */
    private static void pause(Connection connection) throws SQLException {
        boolean unused = PAUSE.on(connection).finds();
    }
}
