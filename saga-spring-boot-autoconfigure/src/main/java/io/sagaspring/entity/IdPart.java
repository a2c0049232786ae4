package io.sagaspring.entity;

import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A column of an id, with the conversion between the value in memory, the stored value and its string form. */
interface IdPart {

    /** The classes of whole numbers. */
    Set<Class<?>> NUMBERS = Set.of(Long.class, Integer.class, Short.class, Byte.class, BigInteger.class);

    /** Returns true if an id of this type has the same value in memory and in its column, unless it is converted. */
    static boolean isPlain(Class<?> type) {
        return NUMBERS.contains(type) || type == UUID.class || type == String.class;
    }

    /** Returns the class of the value in memory. */
    Class<?> type();

    /** Returns the class of the stored value, which Java and the database convert to the same string. */
    Class<?> stored();

    /** Returns true if the stored value differs from the value in memory. */
    boolean isConverted();

    /** Returns true if the database may treat several strings as the same value. */
    boolean mayVary();

    /** Returns true if a comma or a tilde may occur in the text. */
    boolean mayNeedEscape();

    /**
     * Returns the SQL expression for the text form of the column's value in the ledger. The expression resets the
     * collation, because a collation that treats several spellings as equal must not apply in the ledger.
     */
    String textOf(String column);

    /** Returns the text of a value in memory. */
    String text(Object value);

    /** Returns the stored value, or null if a converter has returned null. */
    @Nullable
    Object stored(Object value);

    /** Returns the value in memory, or null if a converter has returned null. */
    @Nullable
    Object inMemory(Object written);

    /**
     * Parses the text of a stored value.
     *
     * @param text the text
     * @param ofLedger true for a text from the ledger, where a number may have zeros after the decimal point, and a
     *     single blank is stored as an empty text
     * @return the stored value
     * @throws RuntimeException if the text does not have the expected form
     */
    default Object parsed(String text, boolean ofLedger) {
        if (Number.class.isAssignableFrom(stored())) {
            String digits = ofLedger ? IdNumbers.withoutFraction(text) : text;
            require(IdNumbers.isPlain(digits));
            return IdNumbers.exact(new BigInteger(digits), stored());
        }
        if (stored() == UUID.class) {
            UUID parsed = UUID.fromString(text);
            require(parsed.toString().equalsIgnoreCase(text));
            return parsed;
        }
        if (stored() == Boolean.class) {
            require(text.equals("true") || text.equals("false"));
            return Boolean.valueOf(text);
        }
        if (stored() == Character.class) {
            // A cast to text drops a trailing blank, so an empty text stands for a blank.
            String character = ofLedger && text.isEmpty() ? " " : text;
            require(character.length() == 1);
            return character.charAt(0);
        }
        if (stored() == byte[].class) {
            byte[] parsed = HexFormat.of().parseHex(text);
            require(HexFormat.of().formatHex(parsed).equals(text));
            return parsed;
        }
        return text;
    }

    private static void require(boolean isOfThatForm) {
        if (!isOfThatForm) {
            throw new IllegalArgumentException("The text is not in the form in which the library writes ids.");
        }
    }

    /** Binds a value in memory to a parameter. */
    void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException;

    /** Reads a column, and returns the value in memory. */
    @Nullable
    Object read(ResultSet found, int column) throws SQLException;

    /** Returns the part's name and the form of its text, for messages. */
    String described();
}
