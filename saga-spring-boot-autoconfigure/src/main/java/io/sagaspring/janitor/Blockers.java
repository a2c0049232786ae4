package io.sagaspring.janitor;

import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.LogText;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Searches for the transactions that have locked an entity. One thread waits for the entity's lock briefly. Meanwhile
 * the calling thread asks the database, on another connection, which backends block the waiting thread. The row itself
 * does not reliably show who has locked it, because several transactions may lock it at the same time.
 */
final class Blockers {

    private static final Logger logger = LoggerFactory.getLogger(Blockers.class);

    /**
     * The longest wait for the entity's lock. This wait is shorter than any allowed stuck-after, so that a janitor on
     * another node does not take the waiting transaction for the one that keeps the entity stuck.
     */
    private static final int WAIT_MILLIS = 500;

    /**
     * The longest time that each of the two threads waits until the other has a connection. The wait for the entity's
     * lock begins when both threads have a connection. By then the waiting thread's transaction may be older than
     * stuck-after, so another node's janitor may end the waiting thread's session. The only effect is that the pool
     * loses one connection.
     */
    private static final int CONNECTION_MILLIS = 5_000;

    private static final Sql END = Sql.named("janitor.end-blocker", """
            SELECT pg_catalog.pg_terminate_backend(pid) AS ended FROM pg_catalog.pg_stat_activity
            WHERE pid = :pid AND backend_start = :backend AND xact_start = :transaction
            AND xact_start < clock_timestamp() - :stuckAfter * INTERVAL '1 millisecond'""");

    /**
     * Queries the backends that a waiting backend waits for. If several backends wait for one row, PostgreSQL reports
     * only the first of these backends, which holds the tuple lock and itself waits for the holders of the row. The
     * query therefore also follows the waits of that first backend.
     */
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

    /** The signals between the waiting thread and the querying thread. */
    private static final class Probe {

        /** Completed with the process id of the backend that is about to wait. */
        private final CompletableFuture<Integer> pid = new CompletableFuture<>();

        /** Completed when the querying thread has its connection. */
        private final CompletableFuture<Void> asking = new CompletableFuture<>();

        /** Completed when the waiting thread has ended. */
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
    }

    /**
     * Returns the blockers that do not wait themselves, because a backend that waits in the same queue is not the
     * cause. Returns an empty list if the blockers cannot be found.
     */
    static List<Blocker> of(EntityTable table, Object id, Tenants tenants) {
        Probe probe = new Probe();
        String tenant = tenants.current();
        Thread waiter =
                new Thread(() -> waitFor(work -> tenants.run(tenant, work), table, id, probe), "saga-janitor-waits");
        waiter.setDaemon(true);
        try {
            waiter.start();
            int pid = probe.pid.get(CONNECTION_MILLIS, TimeUnit.MILLISECONDS);
            return table.own().single(connection -> {
                probe.asking.complete(null);
                return blockersOf(connection, pid, probe.ended);
            });
        } catch (ExecutionException | TimeoutException | DataAccessException | Error failed) {
            logger.debug("Could not find the transactions that hold {} {}", table, LogText.of(table.text(id)), failed);
            return List.of();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return List.of();
        } finally {
            probe.asking.cancel(false);
            // Wait until the waiting thread has ended. Otherwise that thread could get the row's lock later, and the
            // next sweep would skip the row.
            probe.ended
                    .completeOnTimeout(null, 2 * WAIT_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        }
    }

    /**
     * Ends the backend's session, and with it the open transaction. The session is ended only if this same transaction
     * is still open, and has been open for longer than stuck-after: a pooled backend may already serve another caller.
     *
     * @return true if the session was ended
     */
    static boolean end(EntityTable table, Blocker blocker, Duration stuckAfter) {
        return table.own()
                .single(connection -> END.on(connection)
                        .with("pid", blocker.pid())
                        .with("backend", (statement, index) -> statement.setObject(index, blocker.backendStart()))
                        .with(
                                "transaction",
                                (statement, index) -> statement.setObject(index, blocker.transactionStart()))
                        .with("stuckAfter", stuckAfter.toMillis())
                        .first(row -> row.is("ended")))
                .orElse(false);
    }

    private static void waitFor(Consumer<Runnable> context, EntityTable table, Object id, Probe probe) {
        try {
            context.accept(() -> waitFor(table, id, probe));
        } catch (RuntimeException | Error expected) {
            probe.pid.completeExceptionally(expected);
        } finally {
            probe.ended.complete(null);
        }
    }

    private static void waitFor(EntityTable table, Object id, Probe probe) {
        boolean unused = table.own().together(connection -> {
            probe.pid.complete(WAIT.on(connection)
                    .with("patience", WAIT_MILLIS + "ms")
                    .first(row -> row.integer("pid"))
                    .orElseThrow());
            probe.asking.orTimeout(CONNECTION_MILLIS, TimeUnit.MILLISECONDS).join();
            return table.lock(connection, id).isPresent();
        });
    }

    private static List<Blocker> blockersOf(Connection connection, int pid, CompletableFuture<Void> waiterEnded)
            throws SQLException {
        // The waiting thread may not be in the queue yet, so query again while it waits.
        List<Blocker> found = List.of();
        for (boolean first = true; found.isEmpty() && !waiterEnded.isDone(); first = false) {
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

    /** Pauses between two queries, because each query locks the server's lock table. */
    private static void pause(Connection connection) throws SQLException {
        boolean unused = PAUSE.on(connection).finds();
    }
}
