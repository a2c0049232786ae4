package io.sagaspring.entity;

import java.math.BigInteger;
import java.util.regex.Pattern;

/** Parses and converts the whole numbers of ids. */
final class IdNumbers {

    private static final Pattern ZEROS_AFTER_POINT = Pattern.compile("-?\\d+\\.0*");
    private static final Pattern DIGITS = Pattern.compile("0|-?[1-9][0-9]*");

    /**
     * The greatest allowed length of a number as a string. A numeric column can be declared with up to 1,000 digits.
     * The rest is for a sign, the decimal point and zeros after it.
     */
    private static final int MOST_DIGITS = 1_100;

    private IdNumbers() {}

    /**
     * Returns true if the text is too long. The time to parse a number grows with the square of the number of its
     * digits, and the text may come from any client.
     */
    static boolean isTooLong(Object given) {
        return given instanceof String text && text.length() > MOST_DIGITS;
    }

    /** Returns true if the text is a whole number without leading zeros, a plus sign or digits of another script. */
    static boolean isPlain(String text) {
        return DIGITS.matcher(text).matches();
    }

    /**
     * Removes the zeros after the decimal point, which a numeric column adds.
     *
     * @throws IllegalArgumentException if the text does not have the expected form
     */
    static String withoutFraction(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        // Do not allow an exponent, because a short string with an exponent could be a number with a million digits.
        if (!ZEROS_AFTER_POINT.matcher(text).matches()) {
            throw new IllegalArgumentException("The number has a fraction or an exponent.");
        }
        return text.substring(0, text.indexOf('.'));
    }

    /**
     * Converts a number to the type of the ids.
     *
     * @throws ArithmeticException if the type cannot hold the number
     */
    static Object exact(BigInteger value, Class<?> wanted) {
        if (wanted == Long.class) {
            return value.longValueExact();
        }
        if (wanted == Integer.class) {
            return value.intValueExact();
        }
        if (wanted == Short.class) {
            return value.shortValueExact();
        }
        return wanted == Byte.class ? value.byteValueExact() : value;
    }
}
