package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.RunBenchmark.Plan;
import io.sagaspring.benchmarks.RunBenchmark.Variant;
import io.sagaspring.quiet.ExpectsErrors;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Checks that the benchmark runs without errors and counts only flows that have ended. Slow results do not fail the
 * test.
 */
// While the contender DBOS is being closed, one of its queues may still search for work.
@ExpectsErrors("Error executing queued workflow(s)")
@ExtendWith(OneServer.class)
class RunBenchmarkTests {

    @Test
    void everyContenderIsMeasured() throws IOException {
        Setting together = new Setting(2, Duration.ofMillis(1));

        Results<Variant> results = RunBenchmark.measure(
                EnumSet.allOf(Variant.class), new Plan(List.of(together), 4, 1, 0, Duration.ofMillis(20)));

        assertThat(results.rounds())
                .containsOnlyKeys(together)
                .allSatisfy((setting, rounds) -> assertThat(rounds)
                        .singleElement()
                        .satisfies(round -> assertThat(round)
                                .containsOnlyKeys(Variant.values())
                                .allSatisfy((variant, turn) ->
                                        assertThat(turn.perSecond()).isPositive())));
        assertThat(results.counted())
                .containsOnlyKeys(together)
                .allSatisfy((setting, turns) -> assertThat(turns)
                        .containsOnlyKeys(Variant.values())
                        .allSatisfy((variant, turn) ->
                                assertThat(turn.spent().statements()).isPositive()));
    }
}
