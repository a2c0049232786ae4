package io.sagaspring.entity.living;

/**
 * A status. Any string can be a phase. Three phases are constants.
 *
 * @param letter the stored value
 */
public record Phase(String letter) {

    public static final Phase OPEN = new Phase("o");
    static final Phase CLOSING = new Phase("g");
    static final Phase CLOSED = new Phase("c");
}
