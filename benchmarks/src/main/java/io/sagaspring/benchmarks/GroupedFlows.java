package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Contender G: the same changes as F, but handed over to one of two threads, each with its own connection. A thread
 * takes all changes that have arrived during its previous commit, and commits them together, with one message to the
 * server.
 */
final class GroupedFlows extends FlowsByHand {

    private static final int COMMITTERS = 2;

    private static final String STARTING = """
            INSERT INTO flow SELECT id, 'running', 1, 0, payload
            FROM (SELECT unnest((SELECT ?::uuid[])) AS id, unnest(?::bytea[]) AS payload)""";

    private static final String KEEPING = """
            WITH given AS MATERIALIZED (SELECT unnest((SELECT ?::uuid[])) AS id, unnest(?::integer[]) AS position,
                    unnest(?::text[]) AS state, unnest(?::bytea[]) AS result),
                mine AS (UPDATE flow SET position = given.position, state = given.state FROM given
                    WHERE flow.id = given.id AND token = 1 RETURNING flow.id, given.position, given.result)
            INSERT INTO flow_step SELECT id, position, result FROM mine""";

    private final BlockingQueue<Change> queue = new LinkedBlockingQueue<>();
    private final ExecutorService committers = Executors.newFixedThreadPool(COMMITTERS);

    GroupedFlows(Ground ground) {
        super(ground);
        for (int committer = 0; committer < COMMITTERS; committer++) {
            // Open the connection here, so that the constructor throws an exception if this fails. If the connection
            // failed on the committing thread, the callers would wait forever.
            Connection connection = connection();
            committers.execute(() -> commitUntilInterrupted(connection));
        }
    }

    /** A change to a flow. A start has the position -1. */
    @SuppressWarnings("ArrayRecordComponent") // Changes are never compared.
    private record Change(UUID id, int position, String state, byte[] bytes, CompletableFuture<Void> made) {

        Change(UUID id, int position, String state, byte[] bytes) {
            this(id, position, state, bytes, new CompletableFuture<>());
        }

        boolean isStart() {
            return position < 0;
        }
    }

    @Override
    void start(UUID id, byte[] payload) {
        make(new Change(id, -1, "running", payload));
    }

    @Override
    void store(UUID id, int position, String state, byte[] result) {
        make(new Change(id, position, state, result));
    }

    private void make(Change change) {
        queue.add(change);
        change.made().join();
    }

    /**
     * Opens a connection on which the server does not scan a whole table. Otherwise the server would scan the tables
     * until its statistics show that they have grown.
     */
    private Connection connection() {
        try {
            Connection connection = pool().getConnection();
            try (Statement set = connection.createStatement()) {
                set.execute("SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off");
            }
            return connection;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private void commitUntilInterrupted(Connection connection) {
        try (connection) {
            while (true) {
                List<Change> changes = new ArrayList<>(List.of(queue.take()));
                queue.drainTo(changes);
                commit(connection, changes);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static void commit(Connection connection, List<Change> changes) {
        try {
            write(connection, changes);
            changes.forEach(each -> each.made().complete(null));
        } catch (SQLException | RuntimeException failed) {
            changes.forEach(each -> each.made().completeExceptionally(failed));
        }
    }

    private static void write(Connection connection, List<Change> changes) throws SQLException {
        List<Change> starts = changes.stream().filter(Change::isStart).toList();
        List<Change> kept = changes.stream().filter(each -> !each.isStart()).toList();
        String sql = starts.isEmpty() ? KEEPING : kept.isEmpty() ? STARTING : STARTING + ";" + KEEPING;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int next = 1;
            if (!starts.isEmpty()) {
                next = set(statement, next, "uuid", starts, Change::id, UUID[]::new);
                next = set(statement, next, "bytea", starts, Change::bytes, byte[][]::new);
            }
            if (!kept.isEmpty()) {
                next = set(statement, next, "uuid", kept, Change::id, UUID[]::new);
                next = set(statement, next, "int4", kept, Change::position, Integer[]::new);
                next = set(statement, next, "text", kept, Change::state, String[]::new);
                next = set(statement, next, "bytea", kept, Change::bytes, byte[][]::new);
            }
            statement.execute();
            require(statement.getUpdateCount() == (starts.isEmpty() ? kept : starts).size());
            if (!starts.isEmpty() && !kept.isEmpty()) {
                statement.getMoreResults();
                require(statement.getUpdateCount() == kept.size());
            }
        }
    }

    private static <T> int set(
            PreparedStatement statement,
            int at,
            String type,
            List<Change> changes,
            Function<Change, T> value,
            IntFunction<T[]> array)
            throws SQLException {
        T[] values = changes.stream().map(value).toArray(array);
        statement.setArray(at, statement.getConnection().createArrayOf(type, values));
        return at + 1;
    }

    @Override
    public void close() {
        committers.shutdownNow();
        super.close();
    }
}
