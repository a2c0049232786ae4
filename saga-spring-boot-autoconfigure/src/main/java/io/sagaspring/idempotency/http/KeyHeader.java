package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.InvalidKeyException;
import java.util.List;

/**
 * The header with the key. The value is either a string as defined by RFC 9651, such as {@code "abc"}, which the IETF's
 * draft requires, or {@code abc}, which most clients send. Both forms denote the same key.
 */
final class KeyHeader {

    static final String NAME = "Idempotency-Key";

    /**
     * The longest possible header: in quotes, with a backslash before each character. A longer header is refused before
     * it is parsed.
     */
    private static final int LONGEST = 2 * IdempotencyKey.LONGEST + 2;

    private KeyHeader() {}

    /** Parses the header. The list contains the header's values as they were sent, and is not empty. */
    static String parse(List<String> values) {
        if (values.size() > 1) {
            throw new InvalidKeyException(
                    "The header Idempotency-Key was sent %d times. Send one.".formatted(values.size()));
        }
        String value = withoutBlanksAround(values.get(0));
        requireLength(value, LONGEST);
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidKeyException("The header Idempotency-Key contains control characters.");
        }
        String key = value.startsWith("\"") ? unquoted(value) : bare(value);
        if (key.isEmpty()) {
            throw new InvalidKeyException("The header Idempotency-Key is empty.");
        }
        requireLength(key, IdempotencyKey.LONGEST);
        if (!key.chars().allMatch(each -> each > ' ' && each <= '~')) {
            throw new InvalidKeyException(
                    "The header Idempotency-Key contains a space or a character outside visible ASCII. Use ASCII letters, digits and punctuation only.");
        }
        return key;
    }

    /**
     * Strips spaces and tabs at both ends. A regular expression would search for the end of the value from each inner
     * blank, which could take quadratic time.
     */
    private static String withoutBlanksAround(String value) {
        int begin = 0;
        int end = value.length();
        while (begin < end && isBlank(value.charAt(begin))) {
            begin++;
        }
        while (begin < end && isBlank(value.charAt(end - 1))) {
            end--;
        }
        return value.substring(begin, end);
    }

    private static boolean isBlank(char each) {
        return each == ' ' || each == '\t';
    }

    private static void requireLength(String text, int most) {
        if (text.length() > most) {
            throw new InvalidKeyException("The header Idempotency-Key has %d characters. At most %d are allowed."
                    .formatted(text.length(), IdempotencyKey.LONGEST));
        }
    }

    /**
     * Returns a key that was sent without quotes. Such a key must contain no quote, comma or semicolon. A comma may
     * come from a proxy that joined two headers, and a semicolon may precede a parameter.
     */
    private static String bare(String value) {
        if (value.chars().anyMatch(each -> each == '"' || each == ',' || each == ';')) {
            throw new InvalidKeyException(
                    "An Idempotency-Key that contains a quote, a comma or a semicolon must be in quotes.");
        }
        return value;
    }

    private static String unquoted(String value) {
        StringBuilder key = new StringBuilder();
        int at = 1;
        while (at < value.length() && value.charAt(at) != '"') {
            if (value.charAt(at) == '\\') {
                at++;
                if (at == value.length() || (value.charAt(at) != '"' && value.charAt(at) != '\\')) {
                    throw new InvalidKeyException(
                            "In a quoted Idempotency-Key, a backslash is only allowed before a quote or a backslash.");
                }
            }
            key.append(value.charAt(at));
            at++;
        }
        if (at != value.length() - 1) {
            throw new InvalidKeyException(
                    "An Idempotency-Key that begins with a quote must end with the next quote. Write a backslash before a quote inside it.");
        }
        return key.toString();
    }
}
