package io.sagaspring.fence;

import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The statement that counts the rows of a table that each node holds now. It reads at most 10,000 rows.
 *
 * @since 0.1.0
 */
public final class HeldRows {

    private static final int MOST = 10_000;

    private final Sql count;

    /**
     * Creates the statement for a table.
     *
     * @param name the statement's name
     * @param parts the parts of the statement that depend on the table
     */
    public HeldRows(String name, Parts parts) {
        String with = parts.with().isEmpty() ? "" : parts.with() + ", ";
        this.count = Sql.named(name, """
                WITH RECURSIVE %sseen AS MATERIALIZED (%s LIMIT :most),
                held AS (SELECT node, %s AS heartbeat FROM seen WHERE %s)
                SELECT node, count(*) AS held, max(heartbeat) AS heartbeat, (SELECT count(*) FROM seen) < :most AS complete
                FROM held GROUP BY GROUPING SETS ((node), ())""".formatted(with, parts.rows(), parts.heartbeat(), parts.isHeld()));
    }

    /**
     * The parts of the statement that depend on the table.
     *
     * @param with the first queries of the WITH clause, or an empty text
     * @param rows the query that reads the rows through an index; it returns the column {@code node}
     * @param isHeld the condition that selects the rows that are held
     * @param heartbeat the expression for the time of the latest heartbeat
     */
    public record Parts(String with, String rows, String isHeld, String heartbeat) {}

    /**
     * Counts the rows.
     *
     * @param connection the connection
     * @return the loads of the nodes
     * @throws SQLException if the statement fails
     */
    public NodeLoads on(Connection connection) throws SQLException {
        List<NodeLoad> nodes = new ArrayList<>();
        // The row without a node is the total. There is always one.
        List<Boolean> complete = count.on(connection).with("most", MOST).list(row -> {
            String node = row.textOrNull("node");
            Instant heartbeat = row.instantOrNull("heartbeat");
            if (node != null && heartbeat != null) {
                nodes.add(new NodeLoad(node, row.integer("held"), heartbeat));
            }
            return row.is("complete");
        });
        nodes.sort(Comparator.comparing(NodeLoad::node));
        return new NodeLoads(List.copyOf(nodes), complete.get(0));
    }

    /**
     * Returns the statement, for EXPLAIN.
     *
     * @return the text with two parameters, which are both the limit
     */
    public String text() {
        return count.text();
    }
}
