package io.sagaspring.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks the parameters of requests that must be given, or that the database could not store. */
final class Given {

    static final String A_REASON = "Give a reason that your colleagues understand.";
    static final String NEXT_PAGE = "Use the value of 'next' in the previous answer.";

    private static final int LIMIT = 100;
    private static final int MOST = 1_000;

    private Given() {}

    /** Returns the value of a parameter. */
    static <T> T required(String parameter, @Nullable T value, String remedy) {
        if (value == null || (value instanceof String text && text.isBlank())) {
            throw BadRequest.because("The parameter '%s' is missing. %s".formatted(parameter, remedy));
        }
        return value;
    }

    /** Returns the value of a parameter, or null if it is missing or empty. */
    static @Nullable String nonEmpty(String parameter, @Nullable String value) {
        String text = text(parameter, value);
        return text == null || text.isEmpty() ? null : text;
    }

    /** Returns the value of a parameter, or null if it is missing. */
    static @Nullable String text(String parameter, @Nullable String value) {
        if (value != null && value.indexOf('\0') >= 0) {
            throw BadRequest.because(
                    "The parameter '%s' contains the character NUL, which is not allowed. Remove that character."
                            .formatted(parameter));
        }
        return value;
    }

    /** Returns the constant that a parameter names in lower case, or null if the parameter is missing. */
    static <E extends Enum<E>> @Nullable E constant(String parameter, @Nullable String value, Class<E> type) {
        if (value == null) {
            return null;
        }
        List<String> known = new ArrayList<>();
        for (E each : type.getEnumConstants()) {
            String text = each.name().toLowerCase(Locale.ROOT);
            if (text.equals(value)) {
                return each;
            }
            known.add(text);
        }
        throw BadRequest.because("'%s' is not a value of the parameter '%s'. Write one of these: %s."
                .formatted(value, parameter, String.join(", ", known)));
    }

    /** Returns the largest number of rows to list. */
    static int limit(@Nullable Integer limit) {
        return limit == null ? LIMIT : Math.min(MOST, Math.max(1, limit));
    }
}
