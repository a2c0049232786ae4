package io.sagaspring.run;

/** Checks whether texts can be stored as they are. */
final class TextRules {

    private TextRules() {}

    /** Half a surrogate pair has no bytes of its own: it would be stored as a question mark, like any other one. */
    static boolean isStorable(String text) {
        for (int index = 0; index < text.length(); index++) {
            char each = text.charAt(index);
            if (each == '\0') {
                return false;
            }
            if (Character.isSurrogate(each)) {
                boolean isPair = index + 1 < text.length() && Character.isSurrogatePair(each, text.charAt(index + 1));
                if (!isPair) {
                    return false;
                }
                index++;
            }
        }
        return true;
    }

    static void requireName(String what, String name, int longest) {
        if (name.isBlank() || name.length() > longest || !isStorable(name)) {
            throw new InvalidNameException(what, name.length(), longest);
        }
    }
}
