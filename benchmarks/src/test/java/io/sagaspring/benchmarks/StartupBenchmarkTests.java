package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.StartupBenchmark.Application;
import io.sagaspring.benchmarks.StartupBenchmark.Start;
import io.sagaspring.benchmarks.StartupBenchmark.Variant;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Checks that the benchmark runs without errors. Slow results do not fail the test. */
@ExtendWith(OneServer.class)
class StartupBenchmarkTests {

    /** The measured variants. A later start would only run the command of the first start again. */
    private static final Set<Variant> STARTED = EnumSet.of(Variant.WITHOUT, Variant.FIRST_START);

    @Test
    void everyApplicationStartsWithAndWithoutTheStarter() throws IOException {
        Map<Application, Map<Variant, List<Start>>> starts = StartupBenchmark.measure(1, STARTED);

        assertThat(starts)
                .containsOnlyKeys(Application.values())
                .allSatisfy(
                        (application, variants) -> assertThat(variants.keySet()).isEqualTo(STARTED));
        assertThat(starts.values())
                .flatExtracting(Map::values)
                .allSatisfy(measured -> assertThat(measured)
                        .singleElement()
                        .satisfies(start -> assertThat(start.millis()).isPositive())
                        .satisfies(start -> assertThat(start.heap()).isPositive()));
    }
}
