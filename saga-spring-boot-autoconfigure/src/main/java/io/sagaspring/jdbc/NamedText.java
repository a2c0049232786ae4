package io.sagaspring.jdbc;

import java.util.ArrayList;
import java.util.List;

/**
 * The text of a statement, with question marks in place of the named parameters. Quoted text, comments and the double
 * colon of a cast do not change.
 *
 * @param text the text for the driver
 * @param parameters the names of the parameters, one for each question mark, in order
 */
record NamedText(String text, List<String> parameters) {

    static NamedText of(String written) {
        return new Parser(written).parsed();
    }

    private static final class Parser {

        private final String written;
        private final StringBuilder text = new StringBuilder();
        private final List<String> parameters = new ArrayList<>();
        private int at;

        Parser(String written) {
            this.written = written;
        }

        NamedText parsed() {
            while (at < written.length()) {
                char character = written.charAt(at);
                switch (character) {
                    case '\'', '"' -> copyTo(after(String.valueOf(character), at + 1));
                    case '$' -> copyTo(afterDollars());
                    case '-' -> copyTo(written.startsWith("--", at) ? after("\n", at) : at + 1);
                    case '/' -> copyTo(written.startsWith("/*", at) ? afterComment() : at + 1);
                    case ':' -> colon();
                    case '?' -> throw new IllegalArgumentException("Name the parameter instead of '?' in: " + written);
                    default -> copyTo(Character.isJavaIdentifierStart(character) ? afterIdentifier() : at + 1);
                }
            }
            return new NamedText(text.toString(), List.copyOf(parameters));
        }

        private void colon() {
            int end = at + 1;
            if (written.startsWith("::", at)) {
                copyTo(at + 2);
                return;
            }
            while (end < written.length() && Character.isJavaIdentifierPart(written.charAt(end))) {
                end++;
            }
            if (end == at + 1 || !Character.isJavaIdentifierStart(written.charAt(at + 1))) {
                copyTo(end);
                return;
            }
            parameters.add(written.substring(at + 1, end));
            text.append('?');
            at = end;
        }

        /** Skips an identifier. A dollar sign within an identifier does not begin a quotation. */
        private int afterIdentifier() {
            int end = at + 1;
            while (end < written.length() && Character.isJavaIdentifierPart(written.charAt(end))) {
                end++;
            }
            return end;
        }

        /**
         * Skips dollar-quoted text, which begins and ends with the same tag. A PostgreSQL parameter such as
         * {@code $1} does not begin a quotation.
         */
        private int afterDollars() {
            int tag = at + 1;
            while (tag < written.length()
                    && Character.isJavaIdentifierPart(written.charAt(tag))
                    && written.charAt(tag) != '$') {
                tag++;
            }
            boolean opens =
                    tag < written.length() && written.charAt(tag) == '$' && !Character.isDigit(written.charAt(at + 1));
            return opens ? after(written.substring(at, tag + 1), tag + 1) : at + 1;
        }

        /** Skips a comment, including nested comments. */
        private int afterComment() {
            int open = 0;
            int next = at;
            do {
                if (written.startsWith("/*", next)) {
                    open++;
                    next += 2;
                } else if (written.startsWith("*/", next)) {
                    open--;
                    next += 2;
                } else {
                    next++;
                }
            } while (open > 0 && next < written.length());
            return Math.min(next, written.length());
        }

        private int after(String end, int from) {
            int found = written.indexOf(end, from);
            return found < 0 ? written.length() : found + end.length();
        }

        private void copyTo(int end) {
            text.append(written, at, end);
            at = end;
        }
    }
}
