package io.sagaspring.entity;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;
import java.util.Set;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.type.descriptor.java.JavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.jspecify.annotations.Nullable;

/**
 * The column of a converted status. This class converts between the value of the property and the string that the
 * database returns for the column.
 *
 * @param mapping the conversion
 * @param kind the kind of value in the column
 * @param options the options of the conversion
 */
record StatusColumn(JdbcMapping mapping, Kind kind, WrapperOptions options) implements StoredText {

    private static final Set<Class<?>> WHOLE_NUMBERS =
            Set.of(Byte.class, Short.class, Integer.class, Long.class, BigInteger.class);

    /** The kinds of columns that can hold a status. */
    enum Kind {
        TEXT,
        WHOLE_NUMBER,
        BOOLEAN;

        /** Returns the kind of the mapping's column, or null if the column cannot hold a status. */
        static @Nullable Kind of(JdbcMapping mapping) {
            JdbcType type = mapping.getJdbcType();
            int code = type.getDefaultSqlTypeCode();
            if (SqlTypes.isCharacterType(code) || SqlTypes.isEnumType(code) || code == SqlTypes.LONG32VARCHAR) {
                return TEXT;
            }
            if (type.isBoolean()) {
                return BOOLEAN;
            }
            boolean whole = SqlTypes.isIntegral(code)
                    || (type.isDecimal()
                            && WHOLE_NUMBERS.contains(mapping.getJdbcJavaType().getJavaTypeClass()));
            return whole ? WHOLE_NUMBER : null;
        }
    }

    /** Returns the column of a mapping, or null if the column cannot hold a status. */
    static @Nullable StatusColumn of(JdbcMapping mapping, SessionFactoryImplementor factory) {
        Kind kind = Kind.of(mapping);
        return kind == null ? null : new StatusColumn(mapping, kind, factory.getWrapperOptions());
    }

    /**
     * Returns the string that the database returns for a value of the property, or null if the value is stored as null.
     */
    @Override
    @SuppressWarnings("unchecked") // The value is of the mapping's own type.
    public @Nullable String of(@Nullable Object domain) {
        Object relational = mapping.convertToRelationalValue(domain);
        Object stored = relational == null
                ? null
                : ((JavaType<Object>) mapping.getJdbcJavaType()).unwrap(relational, stored(), options);
        return stored == null
                ? null
                : normal(stored instanceof BigDecimal number ? number.toPlainString() : stored.toString());
    }

    /** Returns the value of the property for the string that the database returns for the column. */
    @SuppressWarnings("unchecked") // The value is of the mapping's own type.
    @Nullable
    Object domain(String text) {
        Object read = switch (kind) {
            case TEXT -> text;
            case WHOLE_NUMBER -> number(new BigInteger(text));
            case BOOLEAN -> Boolean.valueOf(text);
        };
        return mapping.convertToDomainValue(((JavaType<Object>) mapping.getJdbcJavaType()).wrap(read, options));
    }

    String literal(String text) {
        return kind == Kind.TEXT ? "'%s'".formatted(text.replace("'", "''")) : text;
    }

    /**
     * Returns the string without the padding of a column of fixed width, and without the zeros after the decimal point
     * of a numeric column.
     */
    @Override
    public String normal(String read) {
        if (kind == Kind.WHOLE_NUMBER) {
            return read.indexOf('.') < 0
                    ? read
                    : new BigDecimal(read).stripTrailingZeros().toPlainString();
        }
        int end = read.length();
        while (end > 0 && read.charAt(end - 1) == ' ') {
            end--;
        }
        return read.substring(0, end);
    }

    /** Returns the Java type that is passed to the driver. */
    private Class<?> stored() {
        return switch (kind) {
            case TEXT -> String.class;
            case WHOLE_NUMBER ->
                Objects.requireNonNullElse(mapping.getJdbcType().getPreferredJavaTypeClass(options), Long.class);
            case BOOLEAN -> Boolean.class;
        };
    }

    private Object number(BigInteger number) {
        Class<?> wanted = stored();
        if (wanted == Byte.class) {
            return number.byteValueExact();
        }
        if (wanted == Short.class) {
            return number.shortValueExact();
        }
        if (wanted == Integer.class) {
            return number.intValueExact();
        }
        return wanted == Long.class ? (Object) number.longValueExact() : new BigDecimal(number);
    }
}
