package io.sagaspring.entity;

import org.jspecify.annotations.Nullable;

/** The text that the database gives for the column of a status. */
interface StoredText {

    /** The text of a status that is stored as it is. */
    StoredText PLAIN = value -> String.valueOf(value).stripTrailing();

    /** Returns the text for a value of the property, or null if the value is stored as null. */
    @Nullable
    String of(@Nullable Object value);

    /** Returns the one form of a text that the database may give in several. */
    default String normal(String read) {
        return read;
    }
}
