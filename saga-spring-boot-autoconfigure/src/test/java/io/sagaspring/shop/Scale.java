package io.sagaspring.shop;

/** Multiplies the rounds of a random test. CI sets {@code tests.scale} to run more rounds than a local build. */
public final class Scale {

    private static final int FACTOR = Integer.getInteger("tests.scale", 1);

    private Scale() {}

    /** Returns the number of rounds for a test that has this many rounds in a local build. */
    public static int times(int rounds) {
        return rounds * FACTOR;
    }
}
