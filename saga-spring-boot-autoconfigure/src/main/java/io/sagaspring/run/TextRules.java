package io.sagaspring.run;

/** Checks whether strings can be stored as they are. */
final class TextRules {

    private TextRules() {}

    /**
     * Returns true if a string can be stored as it is. PostgreSQL cannot store a NUL. An unpaired surrogate has no
     * encoding: it would be stored as a question mark, so that different strings would become the same.
     */
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

    static void requireName(String subject, String name, int longest) {
        if (name.isBlank() || name.length() > longest || !isStorable(name)) {
            throw new InvalidNameException(subject, name.length(), longest);
        }
    }
}
