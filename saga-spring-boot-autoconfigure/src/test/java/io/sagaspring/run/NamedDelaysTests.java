package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.util.backoff.ExponentialBackOff;

/** An exception may name its pause or rule out a further attempt. A policy may be a {@code RetryPolicy} of Spring. */
class NamedDelaysTests {

    private static final RandomGenerator NONE = new SplittableRandom(1);

    private static final class Busy extends RuntimeException implements RetryLater {

        private static final long serialVersionUID = 1L;

        private final Duration after;

        Busy(Duration after) {
            this.after = after;
        }

        @Override
        public Duration retryAfter() {
            return after;
        }
    }

    private static final class Declined extends RuntimeException implements PermanentFailure {

        private static final long serialVersionUID = 1L;
    }

    @Test
    void theDelayThatACauseNamesIsFound() {
        Busy busy = new Busy(Duration.ofMinutes(90));

        assertThat(retry().delayNamedBy(busy)).isEqualTo(Duration.ofMinutes(90));
        assertThat(retry().delayNamedBy(new IllegalStateException(busy))).isEqualTo(Duration.ofMinutes(90));
        assertThat(retry().delayNamedBy(new IllegalStateException())).isNull();
    }

    @Test
    void aNamedDelayIsNeitherNegativeNorEndless() {
        assertThat(retry().delayNamedBy(new Busy(Duration.ofSeconds(-1)))).isZero();
        assertThat(retry().delayNamedBy(new Busy(Duration.ofSeconds(Long.MAX_VALUE))))
                .isEqualTo(Duration.ofDays(365_000));
    }

    @Test
    @SuppressWarnings("NullAway") // Some JDKs do not read the type-use annotations in class files.
    void aPolicyCanReadTheDelayFromAnExceptionOfAnotherLibrary() {
        Retry policy = retry().delayFrom(UncheckedIOException.class, each -> Duration.ofSeconds(9))
                .delayFrom(IOException.class, each -> null);

        assertThat(policy.delayNamedBy(new UncheckedIOException(new IOException())))
                .isEqualTo(Duration.ofSeconds(9));
        assertThat(policy.delayNamedBy(new IOException())).isNull();
    }

    @Test
    void aPermanentFailureIsNeverRetried() {
        assertThat(retry().covers(new Declined())).isFalse();
        assertThat(retry().retryOn(IllegalStateException.class).covers(new IllegalStateException(new Declined())))
                .isFalse();
        assertThat(Retry.of(RetryPolicy.withMaxRetries(3)).covers(new Declined()))
                .isFalse();
    }

    @Test
    void theSearchThroughACircleOfCausesEnds() {
        Exception one = new IllegalStateException();
        Exception two = new IllegalStateException(one);
        one.initCause(two);

        assertThat(retry().delayNamedBy(one)).isNull();
        assertThat(retry().covers(one)).isTrue();
    }

    @Test
    void aPolicyOfSpringAllowsOneAttemptMoreThanItHasRetries() {
        Retry policy = Retry.of(RetryPolicy.withMaxRetries(2));

        assertThat(IntStream.rangeClosed(1, 4).mapToObj(policy::allowsAfter).toList())
                .isEqualTo(List.of(true, true, false, false));
    }

    @Test
    void aPolicyOfSpringDecidesOnFailuresAndPauses() {
        ExponentialBackOff backOff = new ExponentialBackOff(100, 3);
        backOff.setMaxAttempts(3);
        Retry policy = Retry.of(RetryPolicy.builder()
                .includes(IOException.class)
                .backOff(backOff)
                .build());

        assertThat(policy.covers(new IOException())).isTrue();
        assertThat(policy.covers(new IllegalStateException())).isFalse();
        assertThat(IntStream.rangeClosed(1, 3)
                        .mapToObj(attempt -> policy.pauseAfter(attempt, NONE).toMillis())
                        .toList())
                .isEqualTo(List.of(100L, 300L, 900L));
        assertThat(policy.allowsAfter(4)).isFalse();
        assertThat(policy.max(2).allowsAfter(2)).isFalse();
    }

    @Test
    void aPolicyOfSpringAcceptsNoOtherPausesAndNoTimeout() {
        RetryPolicy bounded =
                RetryPolicy.builder().timeout(Duration.ofSeconds(5)).build();

        assertThatThrownBy(() -> Retry.of(bounded))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeout of 5 s");
        assertThatThrownBy(() -> Retry.of(RetryPolicy.withDefaults()).delay(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Set them there");
    }

    @Test
    void pausesGrowByAnyFactor() {
        Retry policy = retry().delay(Duration.ofSeconds(2)).multiplier(1.5);

        assertThat(IntStream.rangeClosed(1, 3)
                        .mapToObj(attempt -> policy.pauseAfter(attempt, NONE).toMillis())
                        .toList())
                .isEqualTo(List.of(2_000L, 3_000L, 4_500L));
    }
}
