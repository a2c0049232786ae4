package io.sagaspring.entity;

import org.jspecify.annotations.Nullable;

/** The conversion of a status to the string that the database returns for the status's column. */
interface StoredText {

    /**
     * The conversion for a status that is stored unchanged. Removes trailing blanks, which a column of fixed width
     * adds.
     */
    StoredText PLAIN = value -> String.valueOf(value).stripTrailing();

    /** Returns the string for a value of the property, or null if the value is stored as null. */
    @Nullable
    String of(@Nullable Object value);

    /** Returns the normal form of a string that the database may return in several forms. */
    default String normal(String read) {
        return read;
    }
}
