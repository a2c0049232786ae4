package io.sagaspring.definition;

/** Makes text safe for a message: escapes invisible characters and truncates long text. */
final class Printable {

    private static final int LONGEST_VALUE = 80;
    private static final int LONGEST_PATH = 300;
    private static final int LONGEST_SENTENCE = 4_000;

    private Printable() {}

    static String quoted(String value) {
        return "'" + escaped(value, LONGEST_VALUE) + "'";
    }

    static String path(String path) {
        return escaped(path, LONGEST_PATH);
    }

    static String sentence(String sentence) {
        return escaped(sentence, LONGEST_SENTENCE);
    }

    private static String escaped(String value, int longest) {
        StringBuilder shown = new StringBuilder();
        value.codePoints().limit(longest).forEach(each -> {
            if (isVisible(each)) {
                shown.appendCodePoint(each);
            } else {
                shown.append("\\u{").append(Integer.toHexString(each)).append('}');
            }
        });
        int length = value.codePointCount(0, value.length());
        return length > longest
                ? shown.append("… (").append(length).append(" characters)").toString()
                : shown.toString();
    }

    /**
     * Returns false for characters such as line breaks and changes of text direction, with which a value could forge
     * lines in the log.
     */
    private static boolean isVisible(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
