package io.sagaspring.entity;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A column of the id of an entity that JPA does not map. The values are the same in memory and in the column.
 *
 * @param name the name of the column, or of the record's component
 * @param type the class of the values
 */
record DescribedIdPart(String name, Class<?> type) implements IdPart {

    @Override
    public Class<?> stored() {
        return type;
    }

    @Override
    public boolean isConverted() {
        return false;
    }

    @Override
    public boolean mayVary() {
        return true;
    }

    @Override
    public boolean mayNeedEscape() {
        return type == String.class;
    }

    @Override
    public String textOf(String column) {
        return column + "::text COLLATE \"default\"";
    }

    @Override
    public String text(Object value) {
        return value.toString();
    }

    @Override
    public Object stored(Object value) {
        return value;
    }

    @Override
    public Object inMemory(Object written) {
        return written;
    }

    @Override
    public void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        if (value instanceof String) {
            // With Types.OTHER, the server gives the parameter the type of the column. A parameter of type text would
            // be compared by the rules of text, not by those of the column's type.
            statement.setObject(index, value, Types.OTHER);
        } else {
            statement.setObject(index, value instanceof BigInteger number ? new BigDecimal(number) : value);
        }
    }

    @Override
    public @Nullable Object read(ResultSet found, int column) throws SQLException {
        if (type == UUID.class) {
            return found.getObject(column, UUID.class);
        }
        String text = found.getString(column);
        return text == null ? null : parsed(text, true);
    }

    @Override
    public String described() {
        return "%s (%s)".formatted(name, type.getSimpleName());
    }
}
