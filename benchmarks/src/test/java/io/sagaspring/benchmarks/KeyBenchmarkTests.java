package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.KeyBenchmark.Results;
import io.sagaspring.benchmarks.KeyBenchmark.Variant;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The benchmark itself works. It fails on errors, never on time. */
class KeyBenchmarkTests {

    @Test
    void everyContenderIsMeasured() throws IOException {
        Results results = KeyBenchmark.measure(1, 0, Duration.ofMillis(200));

        assertThat(results.rounds())
                .singleElement()
                .satisfies(round -> assertThat(round)
                        .containsOnlyKeys(Variant.values())
                        .allSatisfy(
                                (variant, perSecond) -> assertThat(perSecond).isPositive()));
        assertThat(results.traffic()).containsOnlyKeys(Variant.values());
    }
}
