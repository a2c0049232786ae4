package io.sagaspring.entity.living;

/**
 * A status. Any text is a phase, and three are constants.
 *
 * @param letter the stored text
 */
public record Phase(String letter) {

    public static final Phase OPEN = new Phase("o");
    static final Phase CLOSING = new Phase("g");
    static final Phase CLOSED = new Phase("c");
}
