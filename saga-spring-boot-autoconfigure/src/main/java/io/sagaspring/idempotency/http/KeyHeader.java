package io.sagaspring.idempotency.http;

import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.InvalidKeyException;
import java.util.List;

/**
 * The header with the key: a string of RFC 9651 such as {@code "abc"}, as the IETF's draft has it, or {@code abc}, as most
 * clients send it. Both are the same key.
 */
final class KeyHeader {

    static final String NAME = "Idempotency-Key";

    /** In quotes, with a backslash before each character. Nothing else is done with a longer header. */
    private static final int LONGEST = 2 * IdempotencyKey.LONGEST + 2;

    private KeyHeader() {}

    /** Of at least one value, as they were sent. */
    static String parse(List<String> values) {
        if (values.size() > 1) {
            throw new InvalidKeyException(
                    "The header Idempotency-Key was sent %d times. A request has one.".formatted(values.size()));
        }
        String value = withoutBlanksAround(values.get(0));
        requireLength(value, LONGEST);
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidKeyException("The header Idempotency-Key has control characters.");
        }
        String key = value.startsWith("\"") ? unquoted(value) : bare(value);
        if (key.isEmpty()) {
            throw new InvalidKeyException("The header Idempotency-Key is empty.");
        }
        requireLength(key, IdempotencyKey.LONGEST);
        if (!key.chars().allMatch(each -> each > ' ' && each <= '~')) {
            throw new InvalidKeyException(
                    "The header Idempotency-Key may have letters, digits and signs of ASCII only, and no spaces.");
        }
        return key;
    }

    /** By hand: a regular expression looks for the end of the line from each of the blanks in between. */
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
            throw new InvalidKeyException("The header Idempotency-Key has %d characters, and %d are allowed."
                    .formatted(text.length(), IdempotencyKey.LONGEST));
        }
    }

    /** A proxy may have made one value of two headers, and a parameter may follow: neither is to become part of a key. */
    private static String bare(String value) {
        if (value.chars().anyMatch(each -> each == '"' || each == ',' || each == ';')) {
            throw new InvalidKeyException(
                    "A header Idempotency-Key with a quote, a comma or a semicolon in it must stand in quotes.");
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
                            "In a quoted header Idempotency-Key a backslash stands only before a quote or a backslash.");
                }
            }
            key.append(value.charAt(at));
            at++;
        }
        if (at != value.length() - 1) {
            throw new InvalidKeyException(
                    "A header Idempotency-Key that begins with a quote ends with one, and only there.");
        }
        return key.toString();
    }
}
