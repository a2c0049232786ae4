package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.ClaimBenchmark.Plan;
import io.sagaspring.benchmarks.ClaimBenchmark.Results;
import io.sagaspring.benchmarks.ClaimBenchmark.Variant;
import io.sagaspring.benchmarks.Load.Setting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class ClaimBenchmarkTests {

    @Test
    void everyCountedTransitionIsInTheDatabase() throws IOException {
        Results results = ClaimBenchmark.measure(new Plan(1, 0, Duration.ofMillis(20)));

        assertThat(results.rounds()).containsOnlyKeys(Setting.values());
        assertThat(results.rounds().values())
                .allSatisfy(rounds -> assertThat(rounds).singleElement().satisfies(round -> {
                    assertThat(round.slices()).containsOnlyKeys(Variant.values());
                    assertThat(round.slices().values())
                            .allSatisfy(slice -> assertThat(slice.strokes()).isPositive())
                            .allSatisfy(slice -> assertThat(slice.spent().log()).isPositive());
                }));
        assertThat(results.hits())
                .containsOnlyKeys(Variant.values())
                .allSatisfy((variant, hits) -> assertThat(hits).isEqualTo(counted(results, variant)));
        assertThat(results.traffic())
                .containsOnlyKeys(Variant.values())
                .allSatisfy((variant, sent) ->
                        assertThat(sent.lostRoundTrips()).isPositive().isLessThan(sent.roundTrips()));
    }

    private static long counted(Results results, Variant variant) {
        return results.rounds().values().stream()
                .flatMap(List::stream)
                .mapToLong(round -> round.of(variant).strokes())
                .sum();
    }
}
