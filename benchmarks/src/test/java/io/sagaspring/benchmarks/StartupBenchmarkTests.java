package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.StartupBenchmark.Application;
import io.sagaspring.benchmarks.StartupBenchmark.Start;
import io.sagaspring.benchmarks.StartupBenchmark.Variant;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The benchmark itself works. It fails on errors, never on time. */
class StartupBenchmarkTests {

    @Test
    void everyVariantStartsAndIsMeasured() throws IOException {
        Map<Application, Map<Variant, List<Start>>> starts = StartupBenchmark.measure(1);

        assertThat(starts).containsOnlyKeys(Application.values());
        assertThat(starts.values())
                .allSatisfy(variants -> assertThat(variants).containsOnlyKeys(Variant.values()))
                .flatExtracting(Map::values)
                .allSatisfy(measured -> assertThat(measured)
                        .singleElement()
                        .satisfies(start -> assertThat(start.millis()).isPositive())
                        .satisfies(start -> assertThat(start.heap()).isPositive()));
    }
}
