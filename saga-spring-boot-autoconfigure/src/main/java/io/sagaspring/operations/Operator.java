package io.sagaspring.operations;

import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The person who requests an operation.
 *
 * @param name the person's name, or null if it is unknown; control characters, also those of the direction of text, are replaced by spaces, and a long name
 *     is truncated
 * @param access the way in which the request reached the library
 * @since 0.1.0
 */
public record Operator(@Nullable String name, Access access) {

    private static final int LONGEST = 200;

    /** The ways in which a request can reach the library. */
    public enum Access {
        /** The application's own code. */
        JAVA,
        /** An Actuator endpoint, over HTTP or JMX. */
        ACTUATOR,
        /** The page of the dashboard. */
        DASHBOARD;

        /** {@return the name as the audit shows it} */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Creates an operator.
     *
     * @param name the person's name, or null if it is unknown
     * @param access the way in which the request reached the library
     */
    public Operator {
        Objects.requireNonNull(access);
        name = name == null || name.isBlank()
                ? null
                : bounded(name.replaceAll("[\\p{Cc}\\u2028-\\u202e\\u2066-\\u2069]", " "));
    }

    /**
     * Names the person on whose behalf the application's code requests an operation.
     *
     * @param name the person's name
     * @return the operator
     */
    public static Operator named(String name) {
        return new Operator(name, Access.JAVA);
    }

    private static String bounded(String name) {
        if (name.length() <= LONGEST) {
            return name;
        }
        int end = Character.isHighSurrogate(name.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
        return name.substring(0, end) + "…";
    }

    /** Returns the person as logs and journals name them. */
    @Override
    public String toString() {
        return name == null ? "an operator" : "'%s'".formatted(name);
    }
}
