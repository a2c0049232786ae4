package io.sagaspring.fence;

import org.jspecify.annotations.Nullable;

/**
 * Writes foreign text so that it stays within one line of a log: ids, names, and messages that a client may have chosen. A line
 * break in such a text would otherwise begin a line that nobody has logged, and an escape sequence would change a terminal.
 *
 * @since 0.1.0
 */
public final class LogText {

    /** The most characters that are kept. */
    static final int LONGEST = 1_000;

    private LogText() {}

    /**
     * Escapes what does not belong into one line, and keeps the beginning of a long text.
     *
     * @param value the value, whose text is used
     * @return one line without control characters
     */
    public static String of(@Nullable Object value) {
        String text = String.valueOf(value);
        if (text.length() <= LONGEST && text.chars().noneMatch(LogText::isUnsafe)) {
            return text;
        }
        StringBuilder line = new StringBuilder();
        for (int index = 0; index < Math.min(text.length(), LONGEST); index++) {
            append(line, text.charAt(index));
        }
        return text.length() <= LONGEST ? line.toString() : line.append('…').toString();
    }

    private static void append(StringBuilder line, char each) {
        switch (each) {
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            case '\t' -> line.append("\\t");
            default -> {
                if (isUnsafe(each)) {
                    // Not formatted: digits are the same in each locale.
                    String digits = Integer.toHexString(each);
                    line.append("\\u").append("0".repeat(4 - digits.length())).append(digits);
                } else {
                    line.append(each);
                }
            }
        }
    }

    /** Control characters, line and paragraph separators, and what turns the direction of the text around. */
    private static boolean isUnsafe(int each) {
        return Character.isISOControl(each)
                || each == 0x2028
                || each == 0x2029
                || (each >= 0x202a && each <= 0x202e)
                || (each >= 0x2066 && each <= 0x2069);
    }
}
