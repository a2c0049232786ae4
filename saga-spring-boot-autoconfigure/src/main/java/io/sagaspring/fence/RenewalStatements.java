package io.sagaspring.fence;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The two statements with which the keeper renews and checks the rows that this node holds.
 *
 * <p>The renewal skips locked rows, because waiting for one would delay the renewal of all others. The check takes no
 * lock, so it finds rows that the renewal skipped. The renewal's own lock is FOR NO KEY UPDATE, which does not conflict
 * with foreign keys. So inserts into tables that refer to the row neither wait for the renewal nor make it skip the
 * row.
 *
 * @since 0.1.0
 */
public final class RenewalStatements {

    private static final String HELD = "unnest(:names::text[], :ids::text[], :tokens::bigint[]) AS h (name, id, token)";

    private final Sql renew;
    private final Sql stillHeld;

    /**
     * The parts of the statements that find a table's rows. In these parts, {@code l} is the row and {@code h} is the
     * held lease, which has the columns {@code name}, {@code id} and {@code token}.
     *
     * @param table the table
     * @param key the columns of the table's key
     * @param match the condition that joins a row with a held lease, without the token
     * @param renewable the condition that a row must meet to be renewed
     * @param stillHeld the condition that a row meets while its owner still holds it
     */
    public record Rows(String table, List<String> key, String match, String renewable, String stillHeld) {}

    /**
     * Creates the statements for a table.
     *
     * @param name the first part of the statements' names
     * @param rows the parts of the statements that find the rows
     * @param renewal the SQL assignment that renews the row; in it, {@code r} is the row
     */
    public RenewalStatements(String name, Rows rows, String renewal) {
        String held =
                "FROM %s AS l JOIN %s ON %s AND l.token = h.token WHERE ".formatted(rows.table(), HELD, rows.match());
        this.renew = Sql.named(name + ".renew", """
                UPDATE %s AS r SET %s
                FROM (SELECT %s, l.token, h.name AS held_name, h.id AS held_id %s%s FOR NO KEY UPDATE OF l SKIP LOCKED) AS f
                WHERE %s AND r.token = f.token
                RETURNING f.held_name AS name, f.held_id AS id, f.token AS token""".formatted(
                        rows.table(),
                        renewal,
                        rows.key().stream().map(column -> "l." + column).collect(Collectors.joining(", ")),
                        held,
                        rows.renewable(),
                        rows.key().stream()
                                .map(column -> "r.%1$s = f.%1$s".formatted(column))
                                .collect(Collectors.joining(" AND "))));
        this.stillHeld =
                Sql.named(name + ".still-there", "SELECT h.name, h.id, h.token %s%s".formatted(held, rows.stillHeld()));
    }

    /**
     * Renews rows.
     *
     * @param connection a connection that only heartbeats use, in auto-commit mode
     * @param held the leases to renew, which this node holds
     * @return the leases that were renewed
     * @throws SQLException if the database cannot be reached
     */
    public Set<HeldLease> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
        return matching(renew.on(connection), held);
    }

    /**
     * Finds the rows that this node still holds.
     *
     * @param connection a connection that only heartbeats use, in auto-commit mode
     * @param held the leases that were not renewed
     * @return the leases whose row still has their token and meets the condition {@code stillHeld}
     * @throws SQLException if the database cannot be reached
     */
    public Set<HeldLease> stillHeld(Connection connection, Collection<HeldLease> held) throws SQLException {
        return matching(stillHeld.on(connection), held);
    }

    private static Set<HeldLease> matching(SqlCall call, Collection<HeldLease> held) throws SQLException {
        return new HashSet<>(call.texts(
                        "names", held.stream().map(HeldLease::name).toList())
                .texts("ids", held.stream().map(HeldLease::id).toList())
                .longs("tokens", held.stream().map(each -> each.token().value()).toList())
                .list(row -> new HeldLease(row.text("name"), row.text("id"), new FencingToken(row.number("token")))));
    }
}
