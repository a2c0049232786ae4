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
 * The two statements with which the keeper asks a table about the rows that this node holds. A row that is locked is about
 * to be changed: waiting for it would hold up the renewal of all others. The lock spares tables of the application that refer to the
 * row: their inserts neither wait for a renewal nor make it pass the row over.
 *
 * @since 0.1.0
 */
public final class RenewalStatements {

    private static final String HELD = "unnest(:names::text[], :ids::text[], :tokens::bigint[]) AS h (name, id, token)";

    private final Sql renew;
    private final Sql stillHeld;

    /**
     * How a table's rows are found: as {@code l}, by what is held, as {@code h (name, id, token)}.
     *
     * @param table the table
     * @param key the columns of its key
     * @param match joins a row with what is held, apart from the token
     * @param renewable tells which rows may be renewed
     * @param there tells which rows still are their holder's
     */
    public record Rows(String table, List<String> key, String match, String renewable, String there) {}

    /**
     * Statements about these rows.
     *
     * @param name the first part of the statements' names
     * @param rows how the rows are found
     * @param renewal the assignment that renews a row, which it may call {@code r}
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
                Sql.named(name + ".still-there", "SELECT h.name, h.id, h.token %s%s".formatted(held, rows.there()));
    }

    /**
     * Renews rows.
     *
     * @param connection the keeper's own, in auto-commit mode
     * @param held what this node holds
     * @return what was renewed
     * @throws SQLException if the database cannot be asked
     */
    public Set<HeldLease> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
        return those(renew.on(connection), held);
    }

    /**
     * Finds out which rows this node still holds.
     *
     * @param connection the keeper's own, in auto-commit mode
     * @param held what was not renewed
     * @return those whose token is still the row's
     * @throws SQLException if the database cannot be asked
     */
    public Set<HeldLease> stillHeld(Connection connection, Collection<HeldLease> held) throws SQLException {
        return those(stillHeld.on(connection), held);
    }

    private static Set<HeldLease> those(SqlCall call, Collection<HeldLease> held) throws SQLException {
        return new HashSet<>(call.texts(
                        "names", held.stream().map(HeldLease::name).toList())
                .texts("ids", held.stream().map(HeldLease::id).toList())
                .longs("tokens", held.stream().map(each -> each.token().value()).toList())
                .list(row -> new HeldLease(row.text("name"), row.text("id"), new FencingToken(row.number("token")))));
    }
}
