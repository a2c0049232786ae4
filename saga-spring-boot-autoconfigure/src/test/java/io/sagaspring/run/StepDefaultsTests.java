package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A step without a retry policy uses the policy of its run or, if the run has none, the policy of the engine. Policies
 * are not merged.
 */
class StepDefaultsTests extends RunsOnPostgres {

    private final AtomicInteger tries = new AtomicInteger();

    /** A run with defaults, whose step always fails. */
    static final class Failing implements DurableRun<String, String> {

        private final StepDefaults defaults;
        private final Step step;
        private final AtomicInteger tries;

        Failing(StepDefaults defaults, Step step, AtomicInteger tries) {
            this.defaults = defaults;
            this.step = step;
            this.tries = tries;
        }

        @Override
        public StepDefaults defaults() {
            return defaults;
        }

        @Override
        public String run(RunContext run, String input) {
            return run.step(step, String.class, () -> {
                tries.incrementAndGet();
                throw new IllegalStateException("busy");
            });
        }
    }

    private static StepDefaults attempts(int max) {
        return max == 0
                ? StepDefaults.none()
                : StepDefaults.retry(retry().max(max).delay(Duration.ZERO));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0, 1", "0, 0, 4, 4", "0, 3, 4, 3", "2, 3, 4, 2", "1, 3, 4, 1"})
    void thePolicyOfTheStepPrecedesThePoliciesOfTheRunAndTheEngine(int ofStep, int ofRun, int ofEngine, int expected) {
        Step step = ofStep == 0
                ? Step.of("charge")
                : Step.of("charge").retry(retry().max(ofStep).delay(Duration.ZERO));
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .beans(List.of(new Failing(attempts(ofRun), step, tries)))
                        .defaults(attempts(ofEngine)))
                .opened();

        RunHandle<String> handle = node.runs.start(Failing.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("busy");
        assertThat(tries).hasValue(expected);
    }

    @Test
    void aStepThatMustNotBeRepeatedTakesNoDefaultPolicy() {
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .beans(List.of(new Failing(attempts(3), Step.of("wire").notRepeatable(), tries))))
                .opened();

        RunHandle<String> handle = node.runs.start(Failing.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("busy");
        assertThat(tries).hasValue(1);
    }

    @Test
    void aDefaultTimeoutInterruptsAStepThatHasNoTimeout() {
        RunNode node = added(RunNode.on(schema, connections, "node")
                        .tales(tale((run, input) -> run.step("charge", String.class, () -> {
                            new CountDownLatch(1).await();
                            return "";
                        })))
                        .defaults(StepDefaults.none().timeout(Duration.ofMillis(50))))
                .opened();

        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("time-out of 50 ms");
    }

    @Test
    void allFaultsOfTheDefaultsOfARunAreReportedTogether() {
        StepDefaults wrong = StepDefaults.retry(
                        retry().max(0).delay(Duration.ofSeconds(-1)).multiplier(0.5))
                .timeout(Duration.ZERO);

        assertThatThrownBy(() -> new RunCatalog(List.of(new Failing(wrong, Step.of("charge"), tries))))
                .hasMessageContaining("allows 0 attempts")
                .hasMessageContaining("has a pause of -1 s")
                .hasMessageContaining("multiplies its pauses by 0.5")
                .hasMessageContaining("a default time-out of 0 s, which is not positive");
    }
}
