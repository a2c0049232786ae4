package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.quiet.ExpectsErrors;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A step that does not return in time is interrupted, and its later result is discarded. */
class TimedOutStepsTests extends RunsOnPostgres {

    private static final Duration SHORT = Duration.ofMillis(100);

    private final AtomicInteger tries = new AtomicInteger();

    /** Lasts until it is interrupted the first time, and then returns as if nothing had happened. */
    private String late() {
        if (tries.incrementAndGet() == 1) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException ignored) {
                return "late";
            }
        }
        return "in time";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLateResultIsDiscardedAndTheStepIsAttemptedAgain(boolean transactional) throws Exception {
        // The policy covers a time-out although it names another exception.
        Step step = Step.of("charge")
                .retry(retry().delay(Duration.ZERO).retryOn(IOException.class))
                .timeout(SHORT);
        RunNode node = node(tale((run, input) -> transactional
                ? run.transactionalStep(step, String.class, this::late)
                : run.step(step, String.class, this::late)));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThat(handle.await(SOON)).isEqualTo("in time");
        assertThat(node.runs.find(handle.id()).orElseThrow().steps().get(0).detail())
                .contains("StepTimeoutException")
                .contains("did not return within its time-out of 100 ms");
        assertThat(tries).hasValue(2);
    }

    @Test
    void aTimeoutDoesNotInterruptTheNextStep() throws Exception {
        RunNode node = node(tale((run, input) -> {
            try {
                run.step(Step.of("charge").timeout(SHORT), String.class, this::late);
            } catch (StepFailedException failed) {
                return run.step(
                        "next",
                        String.class,
                        () -> "interrupted: " + Thread.currentThread().isInterrupted());
            }
            return "";
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("interrupted: false");
    }

    @Test
    void aPolicyMayExcludeTimeouts() {
        RunNode node = node(tale((run, input) -> run.step(
                Step.of("charge")
                        .retry(retry().delay(Duration.ZERO).noRetryOn(StepTimeoutException.class))
                        .timeout(SHORT),
                String.class,
                this::late)));

        assertThatThrownBy(() -> node.runs.start(Tale.class, "").await(SOON)).hasMessageContaining("time-out");
        assertThat(tries).hasValue(1);
    }

    @Test
    @ExpectsErrors("is in doubt")
    void aLateStepThatMustNotBeRepeatedIsInDoubt() {
        RunNode node = node(tale(
                (run, input) -> run.step(Step.of("wire").notRepeatable().timeout(SHORT), String.class, this::late)));

        RunId id = node.runs.start(Tale.class, "").id();

        awaitState(node, id, RunState.IN_DOUBT);
        assertThat(tries).hasValue(1);
    }

    @Test
    void theResolverDecidesAboutALateStep() throws Exception {
        RunNode node = node(tale((run, input) -> run.step(
                Step.of("wire").notRepeatable(key -> Optional.of("found")).timeout(SHORT), String.class, this::late)));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("found");
        assertThat(tries).hasValue(1);
    }

    @Test
    void aLateStepFailsIfItDidNotTakeEffect() throws Exception {
        RunNode node = node(tale((run, input) -> run.step(
                Step.of("wire").notRepeatable(key -> Optional.empty()).timeout(SHORT), String.class, this::late)));
        RunHandle<String> handle = node.runs.start(Tale.class, "");
        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("time-out");
        assertThat(tries).hasValue(1);

        assertThat(node.runs.retry(handle.id())).isTrue();

        assertThat(handle.await(SOON)).isEqualTo("in time");
    }

    @Test
    void aTimeoutThatIsNotPositiveIsRefused() {
        assertThatThrownBy(() -> Step.of("charge").timeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Step 'charge' has a time-out of 0 s, which is not positive. Use a longer time.");
    }
}
