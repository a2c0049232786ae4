package io.sagaspring.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One call of a statement. Bind every parameter, then execute the call. Nothing is sent to the server before that.
 *
 * @since 0.1.0
 */
public final class SqlCall {

    private final Connection connection;
    private final String text;
    private final Parameters parameters;
    private final boolean skipsFirstResult;
    private final @Nullable Value[] values;

    /**
     * Creates a call.
     *
     * @param skipsFirstResult true if the text begins with a setting, which has a result that the caller does not want
     */
    SqlCall(Connection connection, String text, Parameters parameters, boolean skipsFirstResult) {
        this.connection = connection;
        this.text = text;
        this.parameters = parameters;
        this.skipsFirstResult = skipsFirstResult;
        this.values = new Value[parameters.count()];
    }

    /** Sets a value in the driver's statement. */
    @FunctionalInterface
    public interface Value {

        /**
         * Sets the value.
         *
         * @param statement the statement
         * @param index the index of the parameter
         * @throws SQLException if the driver rejects the value
         */
        void set(PreparedStatement statement, int index) throws SQLException;
    }

    /**
     * Sets the value of a parameter for one of several rows.
     *
     * @param <R> the type of a row
     */
    @FunctionalInterface
    public interface RowValue<R> {

        /**
         * Sets the value.
         *
         * @param statement the statement
         * @param index the index of the parameter
         * @param row the row to which the parameter belongs
         * @throws SQLException if the driver rejects the value
         */
        void set(PreparedStatement statement, int index, R row) throws SQLException;
    }

    /** Processes a row. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * Processes the row.
         *
         * @param row the row
         * @throws SQLException if the driver cannot read it
         */
        void visit(Row row) throws SQLException;
    }

    /**
     * Converts a row to a value.
     *
     * @param <T> the type of the value
     */
    @FunctionalInterface
    public interface Reader<T> {

        /**
         * Converts the row.
         *
         * @param row the row
         * @return the value
         * @throws SQLException if the driver cannot read it
         */
        T read(Row row) throws SQLException;
    }

    /**
     * Binds text.
     *
     * @param name the parameter
     * @param value the text, or null
     * @return this call
     */
    public SqlCall with(String name, @Nullable String value) {
        return with(name, (statement, index) -> statement.setString(index, value));
    }

    /**
     * Binds a number.
     *
     * @param name the parameter
     * @param value the number
     * @return this call
     */
    public SqlCall with(String name, int value) {
        return with(name, (statement, index) -> statement.setInt(index, value));
    }

    /**
     * Binds a number.
     *
     * @param name the parameter
     * @param value the number
     * @return this call
     */
    public SqlCall with(String name, long value) {
        return with(name, (statement, index) -> statement.setLong(index, value));
    }

    /**
     * Binds a boolean.
     *
     * @param name the parameter
     * @param value the value
     * @return this call
     */
    public SqlCall with(String name, boolean value) {
        return with(name, (statement, index) -> statement.setBoolean(index, value));
    }

    /**
     * Binds a UUID.
     *
     * @param name the parameter
     * @param value the UUID
     * @return this call
     */
    public SqlCall with(String name, UUID value) {
        return with(name, (statement, index) -> statement.setObject(index, value));
    }

    /**
     * Binds bytes.
     *
     * @param name the parameter
     * @param value the bytes, or null
     * @return this call
     */
    public SqlCall with(String name, byte @Nullable [] value) {
        return with(name, (statement, index) -> {
            if (value == null) {
                statement.setNull(index, Types.BINARY);
            } else {
                statement.setBytes(index, value);
            }
        });
    }

    /**
     * Binds an array of strings.
     *
     * @param name the parameter
     * @param values the texts
     * @return this call
     */
    public SqlCall texts(String name, Collection<String> values) {
        return array(name, "text", values.toArray());
    }

    /**
     * Binds an array of numbers.
     *
     * @param name the parameter
     * @param values the numbers
     * @return this call
     */
    public SqlCall longs(String name, Collection<Long> values) {
        return array(name, "bigint", values.toArray());
    }

    /**
     * Binds an array.
     *
     * @param name the parameter
     * @param type the database's name for the type of the elements
     * @param values the elements
     * @return this call
     */
    public SqlCall array(String name, String type, @Nullable Object[] values) {
        return with(name, (statement, index) -> statement.setArray(index, connection.createArrayOf(type, values)));
    }

    /**
     * Binds one column of a list of rows. The n-th occurrence of the parameter takes its value from the n-th row.
     *
     * @param name the parameter
     * @param rows the rows
     * @param value the setter of this column's value for a row
     * @param <R> the type of a row
     * @return this call
     * @throws IllegalArgumentException if the parameter does not occur exactly once for each row, or is already bound
     */
    public <R> SqlCall each(String name, List<R> rows, RowValue<R> value) {
        int[] places = parameters.places(name);
        if (places.length != rows.size()) {
            throw new IllegalArgumentException(
                    "Parameter '%s' occurs %s times for %s rows. It must occur once for each row in: %s"
                            .formatted(name, places.length, rows.size(), text));
        }
        for (int row = 0; row < rows.size(); row++) {
            R one = rows.get(row);
            bind(places[row], (statement, index) -> value.set(statement, index, one));
        }
        return this;
    }

    /**
     * Binds a value of another type, at each occurrence of the parameter.
     *
     * @param name the parameter
     * @param value the setter of the value
     * @return this call
     * @throws IllegalArgumentException if there is no such parameter, or it is already bound
     */
    public SqlCall with(String name, Value value) {
        int[] places = parameters.places(name);
        if (places.length == 0) {
            throw new IllegalArgumentException("There is no parameter '%s' in: %s".formatted(name, text));
        }
        for (int place : places) {
            bind(place, value);
        }
        return this;
    }

    private void bind(int place, Value value) {
        if (values[place] != null) {
            throw new IllegalArgumentException(
                    "Parameter '%s' is bound twice in: %s".formatted(parameters.name(place), text));
        }
        values[place] = value;
    }

    /**
     * Executes a statement that changes rows.
     *
     * @return the number of changed rows
     * @throws SQLException if the statement fails
     * @throws IllegalStateException if a parameter is not bound
     */
    public int update() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            bind(statement);
            return statement.executeUpdate();
        }
    }

    /**
     * Executes a statement that changes at most one row.
     *
     * @return true if one row was changed
     * @throws SQLException if the statement fails
     * @throws IllegalStateException if a parameter is not bound
     */
    public boolean changesOne() throws SQLException {
        return update() == 1;
    }

    /**
     * Executes calls of one statement, each of which changes at most one row. The server receives them together.
     *
     * @param calls the calls, all of the same statement on the same connection
     * @return for each call, in order, true if it has changed one row
     * @throws SQLException if a call fails
     * @throws IllegalStateException if a parameter is not bound
     */
    public static List<Boolean> changeOneEach(List<SqlCall> calls) throws SQLException {
        if (calls.isEmpty()) {
            return List.of();
        }
        SqlCall first = calls.get(0);
        try (PreparedStatement statement = first.connection.prepareStatement(first.text)) {
            for (SqlCall call : calls) {
                call.bind(statement);
                statement.addBatch();
            }
            return Arrays.stream(statement.executeBatch())
                    .mapToObj(changed -> changed == 1)
                    .toList();
        }
    }

    /**
     * Executes a statement that returns rows.
     *
     * @param reader the converter from a row to a value
     * @param <T> the type of the values
     * @return the values of all rows
     * @throws SQLException if the statement fails
     * @throws IllegalStateException if a parameter is not bound
     */
    public <T> List<T> list(Reader<T> reader) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            bind(statement);
            return results(statement).list(reader);
        }
    }

    /**
     * Executes a statement that returns rows, and reads only the first one.
     *
     * @param reader the converter from the row to a value
     * @param <T> the type of the value
     * @return the value of the first row, or empty if there are no rows
     * @throws SQLException if the statement fails
     * @throws IllegalStateException if a parameter is not bound
     */
    public <T> Optional<T> first(Reader<T> reader) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            bind(statement);
            return results(statement).first(reader);
        }
    }

    /**
     * Executes a statement that looks for a row.
     *
     * @return true if the statement returned a row
     * @throws SQLException if the statement fails
     * @throws IllegalStateException if a parameter is not bound
     */
    public boolean finds() throws SQLException {
        return first(row -> true).isPresent();
    }

    /**
     * Executes several statements that were joined by {@link Sql#then} and that each return rows.
     *
     * @param visitors the visitors for the rows of the statements, one for each statement, in order
     * @throws SQLException if a statement fails
     * @throws IllegalStateException if a parameter is not bound, or fewer statements return rows than there are
     *     visitors
     */
    public void visit(List<Visitor> visitors) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            bind(statement);
            results(statement).visit(visitors);
        }
    }

    private Results results(PreparedStatement statement) {
        return new Results(statement, text, skipsFirstResult);
    }

    private void bind(PreparedStatement statement) throws SQLException {
        for (int place = 0; place < values.length; place++) {
            Value value = values[place];
            if (value == null) {
                throw new IllegalStateException(
                        "Parameter '%s' is not bound in: %s".formatted(parameters.name(place), text));
            }
            value.set(statement, place + 1);
        }
    }
}
