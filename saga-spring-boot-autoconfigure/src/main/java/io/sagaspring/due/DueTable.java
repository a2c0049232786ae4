package io.sagaspring.due;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;
import io.sagaspring.fence.KeptTable;
import io.sagaspring.schema.SagaSchema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The statements about {@code saga_due}. While a row is worked on, its due time is when somebody else may take it. */
final class DueTable implements KeptTable {

    private static final int LONGEST_ERROR = 8_000;

    /** More than this are told as this many. */
    private static final int MANY = 1_000;

    private final String table;
    private final String tokens;
    private final String node;
    private final Duration lease;

    DueTable(SagaSchema schema, String node, Duration lease) {
        this.table = schema.table("saga_due");
        this.tokens = schema.table("saga_token").replace("'", "''");
        this.node = node;
        this.lease = lease;
    }

    record Picked(DueItem item, FencingToken token, boolean parked) {

        Held held() {
            return new Held(item.queue(), Long.toString(item.id()), token);
        }
    }

    void insert(Connection connection, String queue, String key, String payload) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO %s (queue, work_key, payload, due_at) VALUES (?, ?, ?, clock_timestamp())"
                        .formatted(table))) {
            statement.setString(1, queue);
            statement.setString(2, key);
            statement.setString(3, payload);
            statement.executeUpdate();
        }
    }

    Optional<Duration> untilDue(Connection connection, Set<String> queues, Duration within) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT ceil(extract(epoch FROM due_at - clock_timestamp()) * 1000)::bigint FROM %s
                WHERE parked_at IS NULL AND queue = ANY (?::text[])
                    AND due_at <= (SELECT clock_timestamp() + ? * INTERVAL '1 millisecond')
                ORDER BY due_at LIMIT 1""".formatted(table))) {
            statement.setArray(1, connection.createArrayOf("text", queues.toArray()));
            statement.setLong(2, within.toMillis());
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? Optional.of(Duration.ofMillis(found.getLong(1))) : Optional.empty();
            }
        }
    }

    /**
     * Counts the attempt before the work begins, so that work which kills its node is parked, and not tried for ever. The
     * clock is read once, as a query: only then an index can be asked for what is due. The limit is no parameter: the server
     * would plan the statement each time.
     */
    List<Picked> pick(Connection connection, Set<String> queues, int slots, int attempts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                WITH due AS MATERIALIZED (
                    SELECT id FROM %1$s
                    WHERE parked_at IS NULL AND due_at <= (SELECT clock_timestamp()) AND queue = ANY (?::text[])
                    ORDER BY due_at LIMIT %3$s FOR UPDATE SKIP LOCKED)
                UPDATE %1$s AS d SET token = nextval('%2$s'), node = ?,
                    attempts = d.attempts + CASE WHEN d.attempts >= ? THEN 0 ELSE 1 END,
                    due_at = clock_timestamp() + ? * INTERVAL '1 millisecond',
                    parked_at = CASE WHEN d.attempts >= ? THEN clock_timestamp() END
                FROM due WHERE d.id = due.id
                RETURNING d.id, d.queue, d.work_key, d.payload, d.attempts, d.token, d.parked_at IS NOT NULL""".formatted(table, tokens, slots))) {
            statement.setArray(1, connection.createArrayOf("text", queues.toArray()));
            statement.setString(2, node);
            statement.setInt(3, attempts);
            statement.setLong(4, lease.toMillis());
            statement.setInt(5, attempts);
            List<Picked> picked = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    picked.add(new Picked(
                            new DueItem(
                                    rows.getLong(1),
                                    rows.getString(2),
                                    rows.getString(3),
                                    rows.getString(4),
                                    rows.getInt(5)),
                            new FencingToken(rows.getLong(6)),
                            rows.getBoolean(7)));
                }
            }
            return picked;
        }
    }

    boolean done(Connection connection, Picked picked) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("DELETE FROM %s WHERE id = ? AND token = ?".formatted(table))) {
            statement.setLong(1, picked.item().id());
            statement.setLong(2, picked.token().value());
            return statement.executeUpdate() == 1;
        }
    }

    boolean failed(Connection connection, Picked picked, Duration pause, boolean park, String error)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                UPDATE %s SET token = NULL, node = NULL, last_error = ?,
                    due_at = clock_timestamp() + ? * INTERVAL '1 millisecond',
                    parked_at = CASE WHEN ? THEN clock_timestamp() END
                WHERE id = ? AND token = ?""".formatted(table))) {
            // PostgreSQL stores every character but this one.
            String storable = error.replace('\0', ' ');
            statement.setString(1, storable.substring(0, Math.min(storable.length(), LONGEST_ERROR)));
            statement.setLong(2, pause.toMillis());
            statement.setBoolean(3, park);
            statement.setLong(4, picked.item().id());
            statement.setLong(5, picked.token().value());
            return statement.executeUpdate() == 1;
        }
    }

    /** Work that was picked up goes back as if nobody had. */
    boolean giveBack(Connection connection, Picked picked, Duration pause) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                UPDATE %s SET token = NULL, node = NULL, attempts = attempts - 1,
                    due_at = clock_timestamp() + ? * INTERVAL '1 millisecond'
                WHERE id = ? AND token = ?""".formatted(table))) {
            statement.setLong(1, pause.toMillis());
            statement.setLong(2, picked.item().id());
            statement.setLong(3, picked.token().value());
            return statement.executeUpdate() == 1;
        }
    }

    List<ParkedWork> parked(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT id, queue, work_key, attempts, coalesce(last_error, ''), parked_at FROM %s
                WHERE parked_at IS NOT NULL ORDER BY parked_at LIMIT ?""".formatted(table))) {
            statement.setInt(1, limit);
            return parked(statement);
        }
    }

    private static List<ParkedWork> parked(PreparedStatement statement) throws SQLException {
        List<ParkedWork> parked = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Instant since = rows.getObject(6, OffsetDateTime.class).toInstant();
                parked.add(new ParkedWork(
                        rows.getLong(1),
                        rows.getString(2),
                        rows.getString(3),
                        rows.getInt(4),
                        rows.getString(5),
                        since));
            }
        }
        return parked;
    }

    /** Lists no work that a node executes: its due time is the end of that node's lease, in the future. */
    List<UnhandledWork> unhandled(Connection connection, Set<String> known, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT id, queue, work_key, attempts, due_at FROM %s
                WHERE parked_at IS NULL AND due_at <= (SELECT clock_timestamp()) AND queue <> ALL (?::text[])
                ORDER BY due_at LIMIT ?""".formatted(table))) {
            statement.setArray(1, connection.createArrayOf("text", known.toArray()));
            statement.setInt(2, limit);
            List<UnhandledWork> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new UnhandledWork(
                            rows.getLong(1),
                            rows.getString(2),
                            rows.getString(3),
                            rows.getInt(4),
                            rows.getObject(5, OffsetDateTime.class).toInstant()));
                }
            }
            return found;
        }
    }

    int countParked(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                        "SELECT count(*) FROM %s WHERE parked_at IS NOT NULL".formatted(table));
                ResultSet found = statement.executeQuery()) {
            found.next();
            return found.getInt(1);
        }
    }

    /** Work of a queue that is not known here is removed while it is due: no node executes it then. */
    Optional<ParkedWork> giveUp(Connection connection, long id, Set<String> known) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                DELETE FROM %s WHERE id = ?
                    AND (parked_at IS NOT NULL OR (queue <> ALL (?::text[]) AND due_at <= clock_timestamp()))
                RETURNING id, queue, work_key, attempts, coalesce(last_error, ''), coalesce(parked_at, due_at)""".formatted(table))) {
            statement.setLong(1, id);
            statement.setArray(2, connection.createArrayOf("text", known.toArray()));
            return parked(statement).stream().findFirst();
        }
    }

    /** Counts each queue by itself: neither a large one nor one that is unknown here hides another. */
    List<Backlog> backlog(Connection connection, Set<String> known) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT queue, queue = ANY (?::text[]), least(count(*), %2$s),
                    (extract(epoch FROM clock_timestamp() - min(due_at)) * 1000)::bigint
                FROM %1$s WHERE parked_at IS NULL AND due_at <= (SELECT clock_timestamp())
                GROUP BY queue""".formatted(table, MANY))) {
            statement.setArray(1, connection.createArrayOf("text", known.toArray()));
            List<Backlog> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new Backlog(
                            rows.getString(1),
                            rows.getBoolean(2),
                            rows.getInt(3),
                            Duration.ofMillis(Math.max(0, rows.getLong(4)))));
                }
            }
            return found;
        }
    }

    boolean retry(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                UPDATE %s SET parked_at = NULL, attempts = 0, due_at = clock_timestamp(), token = NULL, node = NULL
                WHERE id = ? AND parked_at IS NOT NULL""".formatted(table))) {
            statement.setLong(1, id);
            return statement.executeUpdate() == 1;
        }
    }

    @Override
    public Set<FencingToken> renew(Connection connection, Collection<Held> held) throws SQLException {
        return tokens(connection, held, """
                UPDATE %1$s AS d SET due_at = clock_timestamp() + %2$s * INTERVAL '1 millisecond'
                FROM (SELECT l.id, l.token FROM %1$s AS l JOIN unnest(?::bigint[], ?::bigint[]) AS h (id, token) USING (id, token)
                    FOR UPDATE OF l SKIP LOCKED) AS f
                WHERE d.id = f.id AND d.token = f.token RETURNING d.token""".formatted(table, lease.toMillis()));
    }

    @Override
    public Set<FencingToken> stillThere(Connection connection, Collection<Held> held) throws SQLException {
        return tokens(
                connection,
                held,
                "SELECT l.token FROM %s AS l JOIN unnest(?::bigint[], ?::bigint[]) AS h (id, token) USING (id, token)"
                        .formatted(table));
    }

    private static Set<FencingToken> tokens(Connection connection, Collection<Held> held, String sql)
            throws SQLException {
        Array ids = connection.createArrayOf(
                "bigint", held.stream().map(each -> Long.valueOf(each.id())).toArray());
        Array tokens = connection.createArrayOf(
                "bigint", held.stream().map(each -> each.token().value()).toArray());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, ids);
            statement.setArray(2, tokens);
            Set<FencingToken> found = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new FencingToken(rows.getLong(1)));
                }
            }
            return found;
        }
    }
}
