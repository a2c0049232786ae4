package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.BacklogBenchmark.Variant;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The benchmark itself works. It fails on errors, never on time. */
class BacklogBenchmarkTests {

    @Test
    void whatWaitsIsThere() throws IOException {
        assertThat(BacklogBenchmark.parked(1_000, 1, 0, Duration.ofMillis(200))
                        .rounds()
                        .values())
                .singleElement()
                .satisfies(rounds -> assertThat(rounds)
                        .singleElement()
                        .satisfies(round -> assertThat(round)
                                .containsOnlyKeys(Variant.values())
                                .allSatisfy((variant, turn) ->
                                        assertThat(turn.perSecond()).isPositive())));
    }

    @Test
    void whatIsDueIsDone() throws IOException {
        assertThat(BacklogBenchmark.drained(500, 1, Duration.ofMillis(200)))
                .singleElement()
                .satisfies(drained -> assertThat(drained.ratio()).isPositive());
    }

    @Test
    void aNodeThatIsIdleLooksNowAndThen() throws IOException {
        assertThat(BacklogBenchmark.idle("100ms", Duration.ZERO, Duration.ofSeconds(2))
                        .statements())
                .isPositive();
    }
}
