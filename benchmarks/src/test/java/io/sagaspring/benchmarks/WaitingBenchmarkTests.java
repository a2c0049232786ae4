package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.WaitingBenchmark.Variant;
import io.sagaspring.benchmarks.WaitingBenchmark.Waiting;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The benchmark itself works. It fails on errors, never on time. */
class WaitingBenchmarkTests {

    @Test
    void whatWaitsIsThere() throws IOException {
        Waiting waiting = WaitingBenchmark.waiting(1_000, 1, 0, Duration.ofMillis(200));

        assertThat(waiting.results().rounds().values())
                .singleElement()
                .satisfies(rounds -> assertThat(rounds)
                        .singleElement()
                        .satisfies(round -> assertThat(round)
                                .containsOnlyKeys(Variant.values())
                                .allSatisfy((variant, turn) ->
                                        assertThat(turn.perSecond()).isPositive())));
    }
}
