package io.sagaspring.shop;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The number of rounds and cases of a test. {@code tests.scale} is 1 in a local build, 2 with the profile {@code chaos},
 * and larger if somebody wants more.
 */
public final class Scale {

    private static final int FACTOR = Integer.getInteger("tests.scale", 1);

    private Scale() {}

    /** Returns the number of rounds of a test that has this many rounds in a local build. */
    public static int times(int rounds) {
        return rounds * FACTOR;
    }

    /**
     * Returns a third of the cases, and all cases if {@code tests.scale} is 3 or larger. JDK 17 and JDK 25 test different
     * thirds. Use this method only for cases that other tests also check in part.
     */
    public static <T> Stream<T> some(List<T> cases) {
        int step = FACTOR < 3 ? 3 : 1;
        return IntStream.range(0, cases.size())
                .filter(number -> number % step == Runtime.version().feature() % step)
                .mapToObj(cases::get);
    }
}
