package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.HistoryBenchmark.Variant;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class HistoryBenchmarkTests {

    private static final Duration SLICE = Duration.ofMillis(20);

    @Test
    void runsAreMeasuredBesideEndedRuns() throws IOException {
        assertThat(HistoryBenchmark.beside(100, 1, 0, SLICE).rounds().values())
                .singleElement()
                .satisfies(rounds -> assertThat(rounds)
                        .singleElement()
                        .satisfies(round -> assertThat(round)
                                .containsOnlyKeys(Variant.values())
                                .allSatisfy((variant, turn) ->
                                        assertThat(turn.perSecond()).isPositive())));
    }

    @Test
    void endedRunsHaveTheirJournals() throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            Ground ground = new Ground(database, "copied", "ApplicationName=copied", 1, 2);
            try (OurFlows flows = new OurFlows(ground.emptied(), "saga.runs.retention=36500d")) {
                flows.run(OurFlows.PAYLOAD);
                long entries = entries(ground);
                EndedRuns ended = new EndedRuns(database, "copied");

                ended.add(40, 10);

                assertThat(ended.count()).isEqualTo(11);
                assertThat(ended.hasOlderThan(40)).isTrue();
                assertThat(ended.hasOlderThan(41)).isFalse();
                assertThat(entries).isPositive();
                assertThat(entries(ground)).isEqualTo(11 * entries);
            }
        }
    }

    private static long entries(Ground ground) {
        return ground.count("saga_step");
    }

    @Test
    void aPurgeIsMeasured() throws IOException {
        HistoryBenchmark.Purged purged = HistoryBenchmark.purged(2_500, SLICE);

        assertThat(purged.before()).isPositive();
        assertThat(purged.meanwhile()).isPositive();
        assertThat(purged.purged()).isNotNegative();
    }

    @Test
    void tablesThatGrowAreMeasured() throws IOException {
        HistoryBenchmark.Grown grown = HistoryBenchmark.grown(20, SLICE);

        assertThat(grown.size()).isGreaterThanOrEqualTo(grown.compact());
        assertThat(grown.last()).isPositive();
    }
}
