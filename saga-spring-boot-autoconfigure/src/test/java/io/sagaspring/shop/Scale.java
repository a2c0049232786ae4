package io.sagaspring.shop;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Multiplies the rounds of a random test. CI sets {@code tests.scale} to run more rounds than a local build. */
public final class Scale {

    private static final int FACTOR = Integer.getInteger("tests.scale", 1);

    private Scale() {}

    /** Returns the number of rounds for a test that has this many rounds in a local build. */
    public static int times(int rounds) {
        return rounds * FACTOR;
    }

    /**
     * Returns every third case in a local build and in CI's second build, and all cases in CI's first build. Use this
     * method only for cases that other tests also check in part.
     */
    public static <T> Stream<T> some(T[] cases) {
        int step = FACTOR == 1 ? 3 : 1;
        return IntStream.range(0, cases.length)
                .filter(number -> number % step == 0)
                .mapToObj(number -> cases[number]);
    }
}
