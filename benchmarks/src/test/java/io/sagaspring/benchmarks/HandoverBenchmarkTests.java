package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.HandoverBenchmark.Ended;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The benchmark itself works. It fails on errors, never on time. */
@ExtendWith(OneServer.class)
class HandoverBenchmarkTests {

    @Test
    void eachRunGoesOnAfterItsNodeWasKilled() throws Exception {
        assertEachRunGoesOn(Ended.KILLED);
    }

    @Test
    void eachRunGoesOnAfterItsNodeWasAskedToEnd() throws Exception {
        assertEachRunGoesOn(Ended.ASKED);
    }

    private static void assertEachRunGoesOn(Ended ended) throws Exception {
        // Where the machine is busy, another node may take a run over before its node is ended.
        assertThat(HandoverBenchmark.measure(ended, Duration.ofSeconds(1), 1)).hasSize(8);
    }
}
