package io.sagaspring.entity;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A column of an id, with the conversion between the value in memory, the stored value and its string form. */
interface IdPart {

    /** Returns the class of the value in memory. */
    Class<?> type();

    /** Returns the class of the stored value, which Java and the database convert to the same string. */
    Class<?> stored();

    /** Returns true if the stored value differs from the value in memory. */
    boolean isConverted();

    /** Returns true if the database may have several strings for one value. */
    boolean mayVary();

    /** Returns true if a comma or a tilde may occur in the text. */
    boolean mayNeedEscape();

    /**
     * Returns the expression for the text. It resets the collation, because a collation that treats several spellings
     * as equal must not apply in the ledger.
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
     * @param ofLedger true to accept zeros after the point of a number
     * @return the stored value
     * @throws RuntimeException if the text has another form
     */
    Object parsed(String text, boolean ofLedger);

    /** Binds a value in memory to a parameter. */
    void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException;

    /** Reads the value in memory from a column. */
    @Nullable
    Object read(ResultSet found, int column) throws SQLException;

    /** Returns the name and the form of the text, for messages. */
    String described();
}
