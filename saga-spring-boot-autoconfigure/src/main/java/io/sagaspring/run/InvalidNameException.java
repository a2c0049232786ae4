package io.sagaspring.run;

/**
 * Thrown if a name, a key or a label cannot be stored as it is: it is too long or blank, or contains a character that is
 * not allowed.
 *
 * @since 0.1.0
 */
public final class InvalidNameException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * Requires that a name or a key can be stored as it is.
     *
     * @param subject the description of the name, with which the exception's message begins
     * @param name the name
     * @param longest the largest number of characters
     * @throws InvalidNameException if the name cannot be stored
     */
    public static void requireValid(String subject, String name, int longest) {
        TextRules.requireName(subject, name, longest);
    }

    InvalidNameException(String message) {
        super(message);
    }

    InvalidNameException(String subject, String fault, int longest) {
        super("%s %s. Use 1 to %d characters that are not all blank, without NUL and without unpaired surrogates."
                .formatted(subject, fault, longest));
    }
}
