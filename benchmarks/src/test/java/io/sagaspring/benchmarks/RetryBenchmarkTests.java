package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.RetryBenchmark.Variant;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class RetryBenchmarkTests {

    @Test
    void eachVariantIsMeasured() throws IOException {
        Results<Variant> results = RetryBenchmark.measure(List.of(Setting.ALONE), 1, 0, Duration.ofMillis(20));

        assertThat(results.rounds().values())
                .singleElement()
                .satisfies(rounds -> assertThat(rounds)
                        .singleElement()
                        .satisfies(round -> assertThat(round)
                                .containsOnlyKeys(Variant.values())
                                .allSatisfy((variant, turn) ->
                                        assertThat(turn.perSecond()).isPositive())));
        assertThat(results.counted().values())
                .singleElement()
                .satisfies(turns -> assertThat(turns)
                        .containsOnlyKeys(Variant.values())
                        .allSatisfy((variant, turn) ->
                                assertThat(turn.spent().statements()).isPositive()));
    }
}
