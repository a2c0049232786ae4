package io.sagaspring.entity;

import org.jspecify.annotations.Nullable;

/** The string that the database returns for the column of a status. */
interface StoredText {

    /** The conversion for a status that is stored unchanged. */
    StoredText PLAIN = value -> String.valueOf(value).stripTrailing();

    /** Returns the string for a value of the property, or null if the value is stored as null. */
    @Nullable
    String of(@Nullable Object value);

    /** Returns the normal form of a string for which the database may return several forms. */
    default String normal(String read) {
        return read;
    }
}
