package io.sagaspring.jdbc;

import io.sagaspring.jdbc.SqlCall.Reader;
import io.sagaspring.jdbc.SqlCall.Visitor;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Executes a statement whose values are bound, and reads the rows that it returns.
 *
 * @param statement the statement
 * @param text the statement's text, for messages
 * @param skipsFirst true if the text begins with a setting, whose result nobody reads
 */
record Results(PreparedStatement statement, String text, boolean skipsFirst) {

    <T> List<T> list(Reader<T> reader) throws SQLException {
        List<T> read = new ArrayList<>();
        try (ResultSet rows = query()) {
            Row row = new Row(rows);
            while (rows.next()) {
                read.add(reader.read(row));
            }
        }
        return read;
    }

    <T> Optional<T> first(Reader<T> reader) throws SQLException {
        try (ResultSet rows = query()) {
            return rows.next() ? Optional.of(reader.read(new Row(rows))) : Optional.empty();
        }
    }

    void visit(List<Visitor> visitors) throws SQLException {
        boolean hasRows = execute();
        for (Visitor visitor : visitors) {
            if (!hasRows) {
                throw new IllegalStateException(
                        "Fewer than %s statements return rows in: %s".formatted(visitors.size(), text));
            }
            try (ResultSet rows = statement.getResultSet()) {
                Row row = new Row(rows);
                while (rows.next()) {
                    visitor.visit(row);
                }
            }
            hasRows = statement.getMoreResults();
        }
    }

    private ResultSet query() throws SQLException {
        if (!skipsFirst) {
            return statement.executeQuery();
        }
        boolean unused = execute();
        return Objects.requireNonNull(statement.getResultSet());
    }

    private boolean execute() throws SQLException {
        boolean hasRows = statement.execute();
        return skipsFirst ? statement.getMoreResults() : hasRows;
    }
}
