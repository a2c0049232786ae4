package io.sagaspring.janitor;

import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.LogText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
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
 * waits for. The row itself does not tell reliably: it may be locked by several at once.
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
            return table.unit().own().single(connection -> {
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
        return table.unit().own().single(connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity
                    WHERE pid = ? AND backend_start = ? AND xact_start = ?
                    AND xact_start < clock_timestamp() - ? * INTERVAL '1 millisecond'""")) {
                statement.setInt(1, blocker.pid());
                statement.setObject(2, blocker.backendStart());
                statement.setObject(3, blocker.transactionStart());
                statement.setLong(4, window.toMillis());
                try (ResultSet ended = statement.executeQuery()) {
                    return ended.next() && ended.getBoolean(1);
                }
            }
        });
    }

    private static void waitFor(EntityTable table, Object id, Probe probe) {
        try {
            boolean unused = table.unit().own().together(connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET LOCAL lock_timeout = " + WAIT_MILLIS);
                    try (ResultSet self = statement.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
                        self.next();
                        probe.pid.complete(self.getInt(1));
                    }
                }
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
        // The waiter may not stand in the queue yet: ask again for as long as it waits. Of a queue it sees only who is
        // first: that one has the lock of the row's place, and waits for who has the row.
        try (PreparedStatement statement = connection.prepareStatement("""
                WITH waited (pid) AS (
                    SELECT pg_catalog.unnest(pg_catalog.pg_blocking_pids(?))
                    UNION SELECT pg_catalog.unnest(pg_catalog.pg_blocking_pids(first.pid))
                    FROM pg_catalog.pg_locks AS mine
                    JOIN pg_catalog.pg_locks AS first USING (locktype, database, relation, page, tuple)
                    WHERE locktype = 'tuple' AND mine.pid = ? AND NOT mine.granted AND first.granted)
                SELECT a.pid, concat_ws(', ', a.usename, a.application_name, host(a.client_addr), a.state,
                    'in its transaction since ' || a.xact_start), a.backend_start, a.xact_start
                FROM pg_catalog.pg_stat_activity AS a JOIN waited USING (pid)
                WHERE a.xact_start IS NOT NULL
                AND pg_catalog.cardinality(pg_catalog.pg_blocking_pids(a.pid)) = 0""")) {
            statement.setInt(1, pid);
            statement.setInt(2, pid);
            List<Blocker> found = new ArrayList<>();
            for (boolean first = true; found.isEmpty() && !over.isDone(); first = false) {
                if (!first) {
                    pause(connection);
                }
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        found.add(new Blocker(
                                rows.getInt(1),
                                rows.getString(2),
                                rows.getObject(3, OffsetDateTime.class),
                                rows.getObject(4, OffsetDateTime.class)));
                    }
                }
            }
            return found;
        }
    }

    /** Asking locks the server's lock table. */
    private static void pause(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_catalog.pg_sleep(0.02)");
        }
    }
}
