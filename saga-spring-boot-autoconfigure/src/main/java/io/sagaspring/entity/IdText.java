package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.List;

/**
 * The string form of an id with several parts: the strings of the parts, separated by commas. A comma within a part is
 * written {@code ~,} and a tilde {@code ~~}, so that no two ids have the same string.
 */
final class IdText {

    private IdText() {}

    static String joined(List<String> parts) {
        return String.join(",", parts.stream().map(IdText::escaped).toList());
    }

    private static String escaped(String part) {
        return part.replace("~", "~~").replace(",", "~,");
    }

    /** Returns the SQL expression that escapes a part in the same way as {@link #joined}. */
    static String escapedSql(String part) {
        return "pg_catalog.replace(pg_catalog.replace(%s, '~', '~~'), ',', '~,')".formatted(part);
    }

    /**
     * Splits a text into its parts.
     *
     * @throws IllegalArgumentException if a tilde is not followed by a comma or a tilde
     */
    static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char each = text.charAt(at);
            if (each == ',') {
                parts.add(part.toString());
                part.setLength(0);
            } else if (each == '~') {
                at++;
                if (at == text.length() || (text.charAt(at) != '~' && text.charAt(at) != ',')) {
                    throw new IllegalArgumentException("A tilde must be followed by a comma or a tilde.");
                }
                part.append(text.charAt(at));
            } else {
                part.append(each);
            }
        }
        parts.add(part.toString());
        return parts;
    }
}
