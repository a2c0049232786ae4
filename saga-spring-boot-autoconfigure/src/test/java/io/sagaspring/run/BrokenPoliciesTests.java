package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.FixedBackOff;

/**
 * A retry policy may contain code of the application. If that code is wrong, the step's failure is journaled
 * nevertheless.
 */
class BrokenPoliciesTests extends RunsOnPostgres {

    private final AtomicInteger tries = new AtomicInteger();

    /** An exception that cannot say when the next attempt is to be made. */
    private static final class Confused extends RuntimeException implements RetryLater {

        private static final long serialVersionUID = 1L;

        @Override
        public Duration retryAfter() {
            throw new DateTimeParseException("The header is wrong.", "tomorrow", 0);
        }
    }

    /** An exception whose message needs a class that is missing. */
    private static final class Unprintable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new NoClassDefFoundError("com/example/Reason");
        }
    }

    /** The policies whose own code throws an exception. */
    enum Broken {
        PREDICATE,
        BACK_OFF;

        Retry policy() {
            RetryPolicy.Builder builder = RetryPolicy.builder();
            if (this == PREDICATE) {
                builder.predicate(failure -> {
                    throw new IllegalStateException("The predicate is wrong.");
                });
                return Retry.of(builder.delay(Duration.ZERO).build());
            }
            BackOff wrong = () -> {
                throw new NoClassDefFoundError("com/example/Jitter");
            };
            return Retry.of(builder.backOff(wrong).build());
        }
    }

    /** The run catches the failure and waits, so the step is replayed. */
    @ParameterizedTest
    @EnumSource
    void aPolicyThatThrowsMakesTheFailureFinal(Broken broken) throws Exception {
        RunNode node = node(tale((run, input) -> {
            String result = "";
            try {
                run.step(Step.of("charge").retry(broken.policy()), () -> {
                    tries.incrementAndGet();
                    throw new IllegalArgumentException("busy");
                });
            } catch (RuntimeException failed) {
                result = String.valueOf(failed.getMessage());
            }
            run.sleep("nap", Duration.ofMillis(1));
            return result;
        }));

        assertThat(node.runs.start(Tale.class, "").await(SOON))
                .isEqualTo("Step 'charge' failed: java.lang.IllegalArgumentException: busy");
        assertThat(tries).hasValue(1);
    }

    @Test
    void theExceptionOfAPolicyIsAddedToTheFailureAsSuppressed() {
        IllegalArgumentException failure = new IllegalArgumentException();

        assertThat(Broken.PREDICATE.policy().covers(failure)).isFalse();

        assertThat(failure.getSuppressed()).hasSize(1);
        assertThat(failure.getSuppressed()[0]).hasMessage("The predicate is wrong.");
    }

    @Test
    void thePolicysPauseAppliesIfTheFailureCannotNameItsPause() throws Exception {
        RunNode node = node(tale((run, input) ->
                run.step(Step.of("charge").retry(retry().max(3).delay(Duration.ZERO)), String.class, () -> {
                    if (tries.incrementAndGet() < 3) {
                        throw new Confused();
                    }
                    return "done";
                })));

        assertThat(node.runs.start(Tale.class, "").await(SOON)).isEqualTo("done");
        assertThat(tries).hasValue(3);
    }

    @Test
    void anExceptionWithoutAReadableMessageCountsAsAFailedAttempt() {
        RunNode node = node(tale((run, input) ->
                run.step(Step.of("charge").retry(retry().max(2).delay(Duration.ZERO)), String.class, () -> {
                    tries.incrementAndGet();
                    throw new Unprintable();
                })));
        RunHandle<String> handle = node.runs.start(Tale.class, "");

        assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("has no readable message");
        assertThat(tries).hasValue(2);
        assertThat(node.runs.find(handle.id()).orElseThrow().steps())
                .extracting(RunView.StepView::detail)
                .containsExactly(Unprintable.class.getName() + ", which has no readable message");
    }

    @Test
    void aPauseOfZeroStaysZeroAfterAnyNumberOfAttempts() {
        Retry policy = retry().exponential(Duration.ZERO);

        assertThat(List.of(1, 1_024, 1_025, Integer.MAX_VALUE))
                .allSatisfy(attempt -> assertThat(policy.pauseAfter(attempt, new SplittableRandom(1)))
                        .isZero());
    }

    /** The pause may end later than any time that can be stored. */
    @Test
    void anEndlessPauseIsStored() throws Exception {
        RetryPolicy endless = RetryPolicy.builder()
                .backOff(new FixedBackOff(Long.MAX_VALUE, 3))
                .build();
        RunNode node = node(tale((run, input) -> run.step(
                Step.of("charge").retry(endless).timeout(Duration.ofSeconds(Long.MAX_VALUE)), String.class, () -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("busy");
                    }
                    return "done";
                })));
        RunId id = node.runs.start(Tale.class, "").id();
        awaitState(node, id, RunState.WAITING);

        assertThat(node.runs.find(id).orElseThrow().steps()).hasSize(1);
        assertThat(node.runs.cancel(id, "enough")).isTrue();
        awaitState(node, id, RunState.CANCELLED);
        assertThat(tries).hasValue(1);
    }
}
