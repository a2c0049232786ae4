package io.sagaspring.benchmarks;

/** The number of rounds. */
final class Rounds {

    private Rounds() {}

    /** Returns the number given by {@code -Dbenchmark.rounds}, or else the default. */
    static int givenOr(int usual) {
        String given = System.getProperty("benchmark.rounds", "");
        return given.isBlank() ? usual : Integer.parseInt(given);
    }
}
