package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * The key with which a run is started. A start with the same text and kind finds the existing run, or replaces its
 * input. Keys of two kinds are different keys, even if their texts are the same.
 *
 * @param text the text that the caller chose
 * @param kind the time for which the key identifies one run
 * @since 0.1.0
 */
public record StartKey(String text, Kind kind) {

    /**
     * The first character of the index entry of a key, unless its kind is {@link Kind#UNTIL_REMOVED}. No text of a key
     * begins with it.
     */
    private static final char RESERVED = '\u0001';

    private static final int LONGEST = 500;

    /** The time for which a key identifies at most one run. */
    public enum Kind {
        /** Until the run is removed after its end. */
        UNTIL_REMOVED,
        /** Until the run has ended. The key is free again in the commit that ends the run. */
        WHILE_OPEN,
        /** Until the run begins, or is cancelled. Until then, a start replaces the input of the run. */
        UNTIL_BEGUN
    }

    /**
     * Checks that the text can be stored.
     *
     * @param text the text that the caller chose
     * @param kind the time for which the key identifies one run
     * @throws InvalidNameException if the text is blank or too long, or contains a character that is not allowed
     */
    public StartKey {
        TextRules.requireName("The key of a run", text, LONGEST);
        if (text.charAt(0) == RESERVED) {
            throw new InvalidNameException(
                    "The key of a run begins with the control character 1, which is reserved. Begin the key with another character.");
        }
    }

    /**
     * Creates a key that identifies at most one run until that run is removed after its end.
     *
     * @param text the text that the caller chose, or null for no key
     * @return the key, or null
     * @throws InvalidNameException if the text is blank or too long, or contains a character that is not allowed
     */
    public static @Nullable StartKey untilRemoved(@Nullable String text) {
        return text == null ? null : new StartKey(text, Kind.UNTIL_REMOVED);
    }

    /**
     * Returns true if a start replaces the input of a run that has not begun.
     *
     * @return true for {@link Kind#UNTIL_BEGUN}
     */
    public boolean isReplaceable() {
        return kind == Kind.UNTIL_BEGUN;
    }

    StartKey as(Kind other) {
        return new StartKey(text, other);
    }
}
