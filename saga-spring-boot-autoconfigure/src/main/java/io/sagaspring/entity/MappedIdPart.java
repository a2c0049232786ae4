package io.sagaspring.entity;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.UUID;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.ValueBinder;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;

/**
 * A column of an id, with the conversion between the value in memory, the stored value and its string form.
 *
 * @param name the path of the property that is mapped to the column
 * @param mapping the mapping of its values
 * @param stored the class of the stored value, which Java and the database convert to the same string
 * @param options the options of the conversion
 */
record MappedIdPart(String name, JdbcMapping mapping, Class<?> stored, WrapperOptions options) implements IdPart {

    @Override
    public Class<?> type() {
        return mapping.getJavaTypeDescriptor().getJavaTypeClass();
    }

    @Override
    public boolean isConverted() {
        return mapping.getValueConverter() != null;
    }

    @Override
    public boolean mayVary() {
        return !isBytes()
                && stored != Boolean.class
                && !SqlTypes.isEnumType(mapping.getJdbcType().getDdlTypeCode());
    }

    private boolean isBytes() {
        return mapping.getJdbcType().isBinary();
    }

    @Override
    public boolean mayNeedEscape() {
        return mayVary() && !mapping.getJdbcType().isNumber() && (stored != UUID.class || isText());
    }

    private boolean isText() {
        return mapping.getJdbcType().isString();
    }

    @Override
    public String textOf(String column) {
        if (isBytes()) {
            return "pg_catalog.encode(%s, 'hex')".formatted(column) + (stored == UUID.class ? "::uuid::text" : "");
        }
        return column + "::text COLLATE \"default\"";
    }

    @Override
    public String text(Object value) {
        Object written = stored(value);
        return written instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(written);
    }

    @Override
    @SuppressWarnings("unchecked") // The value is of the mapping's own type.
    public @Nullable Object stored(Object value) {
        Object relational = mapping.convertToRelationalValue(value);
        return relational == null || stored.isInstance(relational)
                ? relational
                : ((JavaType<Object>) mapping.getJdbcJavaType()).unwrap(relational, stored, options);
    }

    @Override
    public @Nullable Object inMemory(Object written) {
        JavaType<?> relational = mapping.getJdbcJavaType();
        return mapping.convertToDomainValue(
                relational.getJavaTypeClass().isInstance(written) ? written : relational.wrap(written, options));
    }

    @Override
    @SuppressWarnings("unchecked") // The value is of the mapping's own type.
    public void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        ((ValueBinder<Object>) mapping.getJdbcValueBinder())
                .bind(statement, mapping.convertToRelationalValue(value), index, options);
    }

    @Override
    public @Nullable Object read(ResultSet found, int column) throws SQLException {
        Object relational = mapping.getJdbcValueExtractor().extract(found, column, options);
        return relational == null ? null : mapping.convertToDomainValue(relational);
    }

    @Override
    public String described() {
        Class<?> shown = type().isEnum() ? type() : stored;
        return "%s (%s)".formatted(name, shown == byte[].class ? "bytes as hex" : shown.getSimpleName());
    }
}
