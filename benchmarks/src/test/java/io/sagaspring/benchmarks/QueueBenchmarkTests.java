package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.QueueBenchmark.Contender;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow figures do not make it fail. */
@ExtendWith(OneServer.class)
class QueueBenchmarkTests {

    @Test
    void eachContenderIsMeasured() throws IOException {
        assertThat(QueueBenchmark.measure(1, 0, Duration.ofMillis(300)))
                .containsOnlyKeys(Contender.values())
                .allSatisfy((contender, measured) -> {
                    assertThat(measured.perSecond()).hasSize(1);
                    assertThat(measured.waits()).isNotEmpty().noneMatch(Duration::isNegative);
                });
    }

    @Test
    void aSmallKeyBegins() throws IOException {
        QueueFairness fairness = QueueFairness.measure(200, 20);

        assertThat(fairness.longest()).isPositive();
        assertThat(fairness.begun()).isBetween(10, 200);
    }
}
