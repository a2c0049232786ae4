package io.sagaspring.entity;

import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.descriptor.ValueBinder;
import org.hibernate.type.descriptor.ValueExtractor;
import org.jspecify.annotations.Nullable;

/** Converts the ids of one entity between the caller's value, JPA's value and the ledger's text. */
final class EntityIds {

    private final Class<?> entity;
    private final PersistenceUnit unit;
    private final MappedColumns columns;
    private static final Pattern ZEROS_AFTER_POINT = Pattern.compile("-?\\d+\\.0*");

    /**
     * The greatest allowed length of a number's text. A numeric column has up to 1,000 digits, plus other characters.
     */
    private static final int MOST_DIGITS = 1_100;

    private final JdbcMapping id;

    EntityIds(Class<?> entity, PersistenceUnit unit, MappedColumns columns, JdbcMapping id) {
        this.entity = entity;
        this.unit = unit;
        this.columns = columns;
        this.id = id;
    }

    /**
     * Returns the expression for the ledger's text. It resets the collation: one that treats several spellings as equal
     * must not apply in the ledger.
     */
    String keyOf(String alias) {
        return "%s.%s::text COLLATE \"default\"".formatted(alias, columns.versionId());
    }

    Object of(Object given) {
        Class<?> wanted = id.getJavaTypeDescriptor().getJavaTypeClass();
        if (Number.class.isAssignableFrom(wanted)) {
            requireShort(given, wanted);
        }
        if (given instanceof String text && text.codePoints().anyMatch(EntityIds::isNotStorable)) {
            throw new NoSuchIdException(entity);
        }
        try {
            if (wanted.isInstance(given)) {
                return given;
            }
            if (Number.class.isAssignableFrom(wanted) && (given instanceof Number || given instanceof String)) {
                return exact(new BigInteger(given.toString()), wanted);
            }
            if (wanted == UUID.class && given instanceof String text) {
                return UUID.fromString(text);
            }
        } catch (ArithmeticException | IllegalArgumentException notThatKind) {
            throw new NoSuchIdException(given, entity, wanted);
        }
        throw new NoSuchIdException(given, entity, wanted);
    }

    /** Converts the ledger's text. A numeric column may write digits after the point, all of which are zero. */
    Object ofKey(String key) {
        Class<?> wanted = id.getJavaTypeDescriptor().getJavaTypeClass();
        if (!Number.class.isAssignableFrom(wanted) || key.indexOf('.') < 0) {
            return of(key);
        }
        requireShort(key, wanted);
        // Do not allow an exponent: with one, a short text may stand for a number of a million digits.
        if (!ZEROS_AFTER_POINT.matcher(key).matches()) {
            throw new NoSuchIdException(key, entity, wanted);
        }
        try {
            return exact(new BigInteger(key.substring(0, key.indexOf('.'))), wanted);
        } catch (ArithmeticException | NumberFormatException notThatKind) {
            throw new NoSuchIdException(key, entity, wanted);
        }
    }

    /**
     * Refuses long texts. Parsing a number takes time that grows with the square of its digits, and the text may come
     * from any client.
     */
    private void requireShort(Object given, Class<?> wanted) {
        if (given instanceof String text && text.length() > MOST_DIGITS) {
            throw new NoSuchIdException(text.substring(0, 20) + "…", entity, wanted);
        }
    }

    /**
     * Returns true for NUL and for half a surrogate pair, which would be sent as a question mark: perhaps another id.
     */
    private static boolean isNotStorable(int character) {
        return character == 0 || Character.getType(character) == Character.SURROGATE;
    }

    private static Object exact(BigInteger value, Class<?> wanted) {
        if (wanted == Long.class) {
            return value.longValueExact();
        }
        if (wanted == Integer.class) {
            return value.intValueExact();
        }
        if (wanted == Short.class) {
            return value.shortValueExact();
        }
        return value;
    }

    @SuppressWarnings("unchecked") // The id was created for this mapping.
    void bind(PreparedStatement statement, int index, Object value) throws SQLException {
        ((ValueBinder<Object>) id.getJdbcValueBinder())
                .bind(statement, value, index, unit.sessionFactory().getWrapperOptions());
    }

    Object stored(Object given) {
        return unit.own().single(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT /* saga:entity.spelled */ v.%1$s FROM %2$s AS v WHERE v.%1$s = ?"
                            .formatted(columns.versionId(), columns.versionTable()))) {
                bind(statement, 1, given);
                try (ResultSet found = statement.executeQuery()) {
                    Object spelled = found.next() ? read(found) : null;
                    return spelled == null ? given : spelled;
                }
            }
        });
    }

    private @Nullable Object read(ResultSet found) throws SQLException {
        ValueExtractor<?> extractor = id.getJdbcValueExtractor();
        return extractor.extract(found, 1, unit.sessionFactory().getWrapperOptions());
    }
}
