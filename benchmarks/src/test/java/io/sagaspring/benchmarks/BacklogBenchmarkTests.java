package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.BacklogBenchmark.Variant;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class BacklogBenchmarkTests {

    @Test
    void runsAreMeasuredBesideSleepingRuns() throws IOException {
        assertMeasuredBeside(Variant.PARKED);
    }

    @Test
    void runsAreMeasuredBesideDueRunsOfUnknownNames() throws IOException {
        assertMeasuredBeside(Variant.UNKNOWN);
    }

    private static void assertMeasuredBeside(Variant variant) throws IOException {
        assertThat(BacklogBenchmark.beside(variant, 100, 1, 0, Duration.ofMillis(20))
                        .rounds()
                        .values())
                .singleElement()
                .satisfies(rounds -> assertThat(rounds)
                        .singleElement()
                        .satisfies(round -> assertThat(round)
                                .containsOnlyKeys(Variant.EMPTY, variant)
                                .allSatisfy((each, turn) ->
                                        assertThat(turn.perSecond()).isPositive())));
    }

    @Test
    void drainingABacklogOfDueRunsIsMeasured() throws IOException {
        assertThat(BacklogBenchmark.drained(100, 1, Duration.ofMillis(20)))
                .singleElement()
                .satisfies(drained -> assertThat(drained.ratio()).isPositive());
    }

    @Test
    void anIdleNodePollsTheDatabase() throws IOException {
        assertThat(BacklogBenchmark.idle("20ms", Duration.ZERO, Duration.ofMillis(500))
                        .statements())
                .isPositive();
    }
}
