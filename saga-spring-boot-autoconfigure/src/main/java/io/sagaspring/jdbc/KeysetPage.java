package io.sagaspring.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list that is read in the order of an index. Conditions that no index supports select among at most
 * 10,000 rows. So a page costs the same, however rare the selected rows are. If there are further rows, {@code last} is
 * the row after which the next page begins, even if the page itself is not full.
 *
 * @param rows the selected rows
 * @param last the last row that was read, or null if there are no further rows
 * @param <T> the type of a row
 * @since 0.1.0
 */
public record KeysetPage<T>(List<T> rows, @Nullable T last) {

    private static final int MOST = 10_000;

    /**
     * The parts of the statement for a page.
     *
     * @param selection the query that reads the rows after the previous page, without an order
     * @param order the order, as in the index
     * @param conditions the conditions that no index supports
     */
    public record Parts(String selection, String order, List<String> conditions) {

        /** {@return the number of rows to read for a page with so many rows} */
        int reading(int limit) {
            return conditions.isEmpty() ? limit + 1 : MOST;
        }

        /**
         * Creates the statement.
         *
         * @param name the statement's name
         * @return the statement, with the parameters {@code reading} and {@code shown} in addition to those of the parts
         */
        public Sql statement(String name) {
            String selected = conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
            return Sql.named(name, """
                    WITH read AS MATERIALIZED (%1$s ORDER BY %2$s LIMIT :reading),
                    placed AS (SELECT read.*, row_number() OVER (ORDER BY %2$s) AS place FROM read)
                    SELECT placed.*, %3$s AS selected FROM placed
                    WHERE %3$s OR place = :reading ORDER BY place LIMIT :shown""".formatted(selection, order, selected));
        }
    }

    /**
     * Reads a page.
     *
     * @param parts the parts of the statement
     * @param call the call of the statement, with the parameters of the parts
     * @param limit the largest number of rows of the page
     * @param reader the converter from a row to a value
     * @param <T> the type of a row
     * @return the page
     * @throws SQLException if the statement fails
     */
    public static <T> KeysetPage<T> read(Parts parts, SqlCall call, int limit, SqlCall.Reader<T> reader)
            throws SQLException {
        int reading = parts.reading(limit);
        List<T> selected = new ArrayList<>();
        List<Read<T>> all = call.with("reading", reading)
                .with("shown", limit + 1)
                .list(row -> {
                    T value = reader.read(row);
                    if (row.is("selected")) {
                        selected.add(value);
                    }
                    return new Read<>(value, row.number("place"));
                });
        List<T> rows = List.copyOf(selected.subList(0, Math.min(limit, selected.size())));
        if (all.size() > limit) {
            return new KeysetPage<>(rows, rows.get(limit - 1));
        }
        Read<T> end = all.isEmpty() ? null : all.get(all.size() - 1);
        return new KeysetPage<>(rows, end != null && end.place() == reading ? end.value() : null);
    }

    private record Read<T>(T value, long place) {}
}
