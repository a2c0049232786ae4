package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.WaitingBenchmark.Variant;
import io.sagaspring.benchmarks.WaitingBenchmark.Waiting;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class WaitingBenchmarkTests {

    @Test
    void eachVariantIsMeasuredWhileSagasWait() throws IOException {
        Waiting waiting = WaitingBenchmark.waiting(100, 5, 1, 0, Duration.ofMillis(20));

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
