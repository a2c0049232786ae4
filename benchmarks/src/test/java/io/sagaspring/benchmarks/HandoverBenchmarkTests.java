package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.HandoverBenchmark.Ended;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The benchmark itself works. It fails on errors, never on time. */
class HandoverBenchmarkTests {

    @Test
    void eachRunGoesOnAfterItsNodeHasEnded() throws Exception {
        for (Ended ended : Ended.values()) {
            assertThat(HandoverBenchmark.measure(ended, Duration.ofSeconds(1), 1))
                    .hasSize(8)
                    .allSatisfy(time -> assertThat(time).isPositive());
        }
    }
}
