package io.sagaspring.run;

/**
 * A name or a key that cannot be stored as it is: too long, blank, or with a character that PostgreSQL does not store.
 *
 * @since 0.1.0
 */
public final class InvalidNameException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * Requires that a name or a key can be stored as it is.
     *
     * @param subject the owner of the name, as the subject of a sentence
     * @param name the name
     * @param longest the largest number of characters
     * @throws InvalidNameException if the name cannot be stored
     */
    public static void requireValid(String subject, String name, int longest) {
        TextRules.requireName(subject, name, longest);
    }

    InvalidNameException(String subject, int length, int longest) {
        super(
                "%s has %d characters. Use 1 to %d characters that are not all blank, without NUL and without half a surrogate pair."
                        .formatted(subject, length, longest));
    }
}
