package io.sagaspring.benchmarks;

/** The number of rounds. */
final class Rounds {

    /**
     * The number of rounds of half a second with 16 callers that precede a measurement. The JIT compiler needs them.
     * Before that, a contender with more code needs up to twice the processor time that it needs later.
     */
    static final int FOR_THE_COMPILER = 60;

    private Rounds() {}

    /** Returns the number given by {@code -Dbenchmark.rounds}, or else the default. */
    static int givenOr(int usual) {
        String given = System.getProperty("benchmark.rounds", "");
        return given.isBlank() ? usual : Integer.parseInt(given);
    }
}
