package io.sagaspring.run;

/**
 * A name or a key that could not be stored as it is: too long, blank, or with a character that PostgreSQL does not take.
 *
 * @since 0.1.0
 */
public final class InvalidNameException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * Requires of a name or a key that it can be stored as it is.
     *
     * @param what has this name, as the subject of a sentence
     * @param name the name
     * @param longest the most characters that it may have
     * @throws InvalidNameException if it cannot
     */
    public static void requireValid(String what, String name, int longest) {
        TextRules.requireName(what, name, longest);
    }

    InvalidNameException(String what, int length, int longest) {
        super(
                "%s has %d characters. Use 1 to %d characters that are not all blank, without NUL and without half a surrogate pair."
                        .formatted(what, length, longest));
    }
}
