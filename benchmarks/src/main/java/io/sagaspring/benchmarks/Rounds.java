package io.sagaspring.benchmarks;

/** How often everybody gets a turn. */
final class Rounds {

    private Rounds() {}

    /** What {@code -Dbenchmark.rounds} says; else as often as usual. */
    static int askedOr(int usual) {
        String asked = System.getProperty("benchmark.rounds", "");
        return asked.isBlank() ? usual : Integer.parseInt(asked);
    }
}
