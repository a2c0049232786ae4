package io.sagaspring.fence;

import org.jspecify.annotations.Nullable;

/**
 * Escapes foreign text for the log, so that it stays on one line. A client may have chosen the text, for example an id
 * or a message. A line break in the text could forge a log line, and an escape sequence could change a terminal.
 *
 * @since 0.1.0
 */
public final class LogText {

    /** The maximum number of characters that are kept. */
    static final int LONGEST = 1_000;

    private LogText() {}

    /**
     * Escapes characters that do not belong on one line, and truncates long text.
     *
     * @param value the value whose text is used
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
                    // Do not use String.format, whose digits depend on the locale.
                    String digits = Integer.toHexString(each);
                    line.append("\\u").append("0".repeat(4 - digits.length())).append(digits);
                } else {
                    line.append(each);
                }
            }
        }
    }

    /**
     * Returns true for control characters, line and paragraph separators, and characters that change the direction of
     * the text.
     */
    private static boolean isUnsafe(int each) {
        return Character.isISOControl(each)
                || each == 0x2028
                || each == 0x2029
                || (each >= 0x202a && each <= 0x202e)
                || (each >= 0x2066 && each <= 0x2069);
    }
}
