package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.ScheduleBenchmark.Contender;
import io.sagaspring.benchmarks.ScheduleBenchmark.Many;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class ScheduleBenchmarkTests {

    @Test
    void eachContenderIsMeasured() throws IOException {
        assertThat(ScheduleBenchmark.measure(new Many(5, Duration.ofSeconds(2), "0/2 * * * * *"), 1))
                .containsOnlyKeys(Contender.values())
                .allSatisfy((contender, late) -> assertThat(late).hasSize(5).noneMatch(Duration::isNegative));
    }
}
