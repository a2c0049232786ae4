package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.SqlCall;
import java.lang.reflect.Array;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are passed to a statement as one array for each column. So the text of the statement does not depend on the
 * number of rows.
 *
 * @param alias the name of the rows in the statement, and the prefix of their parameters
 * @param columns the columns of a row
 * @param <R> the type of a row
 */
record ManyRows<R>(String alias, List<Column<R>> columns) {

    /**
     * A column.
     *
     * @param name the column's name in the statement
     * @param type the column's type in the statement
     * @param element the Java type that the driver expects
     * @param value the function that reads the column's value from a row
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

    /** Returns rows with one more column. */
    ManyRows<R> and(Column<R> column) {
        return new ManyRows<>(
                alias, Stream.concat(columns.stream(), Stream.of(column)).toList());
    }

    /**
     * Returns the rows as a table expression. The first array is in a subquery, which hides the array's length from the
     * planner. Otherwise the planner would plan the statement at each call.
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
