package io.sagaspring.definition;

/**
 * A name, and the setting that contains it.
 *
 * @param text the name without surrounding blanks, never empty
 * @param from the setting
 */
record Named(String text, Setting from) {

    String quoted() {
        return Printable.quoted(text);
    }
}
