package io.sagaspring.definition;

import java.util.regex.Pattern;

/**
 * The role on whose behalf a step runs, such as {@code admin} or {@code system}.
 *
 * @param name the name: lower case letters, digits and dashes, beginning with a letter
 * @since 0.1.0
 */
public record Requester(String name) {

    private static final Pattern ALLOWED = Pattern.compile("[a-z][a-z0-9-]*");

    /** The key that stands for every requester without an entry of its own. */
    static final String ANY = "any";

    /**
     * Creates a requester.
     *
     * @param name the name: lower case letters, digits and dashes, beginning with a letter
     * @throws IllegalArgumentException if the name has other characters, or is {@code any}
     */
    public Requester {
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "A requester's name must start with a lower case letter and contain only lower case letters, digits and"
                            + " dashes, but it is '%s'.".formatted(name));
        }
        if (name.equals(ANY)) {
            throw new IllegalArgumentException(
                    "A requester cannot be named 'any', which stands for all requesters without an entry of their own. Choose another name.");
        }
    }

    /**
     * Returns the requester with this name.
     *
     * @param name the name: lower case letters, digits and dashes, beginning with a letter
     * @return the requester
     */
    public static Requester of(String name) {
        return new Requester(name);
    }

    static boolean isName(String text) {
        return ALLOWED.matcher(text).matches();
    }

    @Override
    public String toString() {
        return name;
    }
}
