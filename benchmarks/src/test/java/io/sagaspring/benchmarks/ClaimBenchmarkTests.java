package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.ClaimBenchmark.Plan;
import io.sagaspring.benchmarks.ClaimBenchmark.Results;
import io.sagaspring.benchmarks.ClaimBenchmark.Variant;
import io.sagaspring.benchmarks.Load.Setting;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The benchmark itself works. It fails on errors, never on time. */
class ClaimBenchmarkTests {

    @Test
    void everyContenderMakesTransitions() throws IOException {
        Results results = ClaimBenchmark.measure(new Plan(1, 0, Duration.ofMillis(200)));

        assertThat(results.rounds()).containsOnlyKeys(Setting.values());
        assertThat(results.rounds().values())
                .allSatisfy(rounds -> assertThat(rounds).singleElement().satisfies(round -> {
                    assertThat(round.slices()).containsOnlyKeys(Variant.values());
                    assertThat(round.slices().values())
                            .allSatisfy(slice -> assertThat(slice.strokes()).isPositive());
                }));
    }
}
