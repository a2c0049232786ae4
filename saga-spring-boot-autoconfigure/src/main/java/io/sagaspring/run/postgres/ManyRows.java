package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.SqlCall;
import java.lang.reflect.Array;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are given to a statement as one array for each column, so that its text is the same however many there are.
 *
 * @param alias their name in the statement, with which the names of their parameters begin
 * @param columns what a row has
 * @param <R> a row
 */
record ManyRows<R>(String alias, List<Column<R>> columns) {

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
    String table() {
        return columns.stream()
                .map(each -> "unnest(%s) AS %s".formatted(array(each), each.name()))
                .collect(Collectors.joining(", ", "(SELECT ", ") AS " + alias));
    }

    private String array(Column<R> column) {
        String array = ":%s::%s[]".formatted(parameter(column), column.type());
        return column.equals(columns.get(0)) ? "(SELECT %s)".formatted(array) : array;
    }

    private String parameter(Column<R> column) {
        return alias + "_" + column.name();
    }

    SqlCall bind(SqlCall call, List<R> rows) {
        columns.forEach(each -> call.array(parameter(each), each.type(), each.values(rows)));
        return call;
    }
}
