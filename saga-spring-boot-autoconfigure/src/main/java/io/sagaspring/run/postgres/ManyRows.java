package io.sagaspring.run.postgres;

import java.lang.reflect.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are given to a statement as one array for each column, so that its text is the same however many there are.
 *
 * @param columns what a row has
 * @param <R> a row
 */
record ManyRows<R>(List<Column<R>> columns) {

    /**
     * A column.
     *
     * @param name its name in the statement
     * @param type its type there
     * @param element what the driver takes for it
     * @param value reads it from a row
     */
    record Column<R>(String name, String type, Class<?> element, Function<R, @Nullable Object> value) {

        static <R> Column<R> uuid(String name, Function<R, @Nullable Object> value) {
            return new Column<>(name, "uuid", UUID.class, value);
        }

        static <R> Column<R> text(String name, Function<R, @Nullable Object> value) {
            return new Column<>(name, "text", String.class, value);
        }

        static <R> Column<R> bytes(String name, Function<R, @Nullable Object> value) {
            return new Column<>(name, "bytea", byte[].class, value);
        }

        static <R> Column<R> number(String name, Function<R, @Nullable Object> value) {
            return new Column<>(name, "bigint", Long.class, value);
        }

        static <R> Column<R> count(String name, Function<R, @Nullable Object> value) {
            return new Column<>(name, "integer", Integer.class, value);
        }

        static <R> Column<R> flag(String name, Function<R, @Nullable Object> value) {
            return new Column<>(name, "boolean", Boolean.class, value);
        }

        private @Nullable Object[] values(List<R> rows) {
            @Nullable Object[] values = (@Nullable Object[]) Array.newInstance(element, rows.size());
            for (int row = 0; row < values.length; row++) {
                values[row] = value.apply(rows.get(row));
            }
            return values;
        }
    }

    /**
     * As a table. That one array stands in a query of its own keeps their length from the planner, which would otherwise plan
     * the statement anew each time.
     */
    String as(String alias) {
        return columns.stream()
                .map(each -> "unnest(?::%s[]) AS %s".formatted(each.type(), each.name()))
                .collect(Collectors.joining(", ", "(SELECT ", ") AS " + alias))
                .replaceFirst("\\?::\\w+\\[]", "(SELECT $0)");
    }

    /** Returns the number of the parameter behind them. */
    int set(PreparedStatement statement, int from, List<R> rows) throws SQLException {
        Connection connection = statement.getConnection();
        int next = from;
        for (Column<R> column : columns) {
            statement.setArray(next++, connection.createArrayOf(column.type(), column.values(rows)));
        }
        return next;
    }
}
