package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.JournalBenchmark.Measured;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class JournalBenchmarkTests {

    @Test
    void eachLengthIsMeasured() throws IOException {
        List<Measured> measured = JournalBenchmark.measure(List.of(1_000, 2_000));

        // Besides its steps, each journal has two entries for the signal: the wait, and its end.
        assertThat(measured).extracting(Measured::entries).containsExactly(1_002, 2_002);
        assertThat(measured).allSatisfy(each -> {
            assertThat(List.of(each.first(), each.last(), each.replayed(), each.read()))
                    .allMatch(time -> time.compareTo(Duration.ZERO) > 0);
            assertThat(each.growth()).isPositive();
        });
    }
}
