package io.sagaspring.definition;

/**
 * A name and the setting it was read from.
 *
 * @param text without surrounding blanks, never empty
 * @param from where it was written
 */
record Named(String text, Setting from) {

    String quoted() {
        return Printable.quoted(text);
    }
}
