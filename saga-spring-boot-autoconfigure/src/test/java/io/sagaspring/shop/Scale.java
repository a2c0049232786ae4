package io.sagaspring.shop;

/** Multiplies the rounds of a random test. CI sets {@code tests.scale}, so that it looks for longer than a local build. */
public final class Scale {

    private static final int FACTOR = Integer.getInteger("tests.scale", 1);

    private Scale() {}

    /** Returns how many rounds to do where a local build does this many. */
    public static int times(int rounds) {
        return rounds * FACTOR;
    }
}
