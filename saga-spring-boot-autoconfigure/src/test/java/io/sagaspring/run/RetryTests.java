package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RetryTests {

    private static final RandomGenerator NONE = () -> {
        throw new AssertionError("Nothing is drawn without jitter.");
    };

    private static List<Duration> pauses(Retry retry, int many) {
        return IntStream.rangeClosed(1, many)
                .mapToObj(attempt -> retry.pauseAfter(attempt, NONE))
                .toList();
    }

    private static Duration[] seconds(long... seconds) {
        return LongStream.of(seconds).mapToObj(Duration::ofSeconds).toArray(Duration[]::new);
    }

    @Test
    void pausesAreConstantOrDoubleUpToTheMaximum() {
        assertThat(pauses(retry(), 3)).containsExactly(seconds(1, 1, 1));
        assertThat(pauses(retry().delay(Duration.ofSeconds(7)), 3)).containsExactly(seconds(7, 7, 7));
        assertThat(pauses(retry().exponential(Duration.ofSeconds(1)), 8))
                .containsExactly(seconds(1, 2, 4, 8, 16, 32, 60, 60));
        assertThat(pauses(retry().exponential(Duration.ofSeconds(3)).maxDelay(Duration.ofSeconds(10)), 4))
                .containsExactly(seconds(3, 6, 10, 10));
        assertThat(pauses(retry().delay(Duration.ofMinutes(5)).maxDelay(Duration.ofSeconds(10)), 2))
                .containsExactly(seconds(10, 10));
    }

    @Test
    void firstDelaySetsTheFirstPauseOfEveryPolicy() {
        assertThat(pauses(retry().exponential(Duration.ofSeconds(1)).firstDelay(Duration.ofSeconds(5)), 3))
                .containsExactly(seconds(5, 10, 20));
        assertThat(pauses(retry().firstDelay(Duration.ofSeconds(5)), 2)).containsExactly(seconds(5, 5));
        assertThat(pauses(retry().firstDelay(Duration.ZERO), 2)).containsExactly(seconds(0, 0));
    }

    @Test
    void aPauseStaysBoundedAfterAnyNumberOfAttempts() {
        Retry longest = retry().exponential(Duration.ofNanos(1)).maxDelay(Duration.ofDays(40_000));

        assertThat(longest.pauseAfter(Integer.MAX_VALUE, NONE)).isBetween(Duration.ZERO, Duration.ofDays(36_500));
        assertThat(retry().exponential(Duration.ofDays(30_000)).pauseAfter(1_000, NONE))
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void jitterDrawsPausesFromHalfOfThePauseToTheWholePause() {
        Retry jittered = retry().delay(Duration.ofMillis(10)).jitter();
        SplittableRandom random = new SplittableRandom(7);

        List<Duration> drawn = IntStream.range(0, 1_000)
                .mapToObj(each -> jittered.pauseAfter(1, random))
                .sorted()
                .toList();

        assertThat(drawn.get(0)).isBetween(Duration.ofMillis(5), Duration.ofNanos(5_100_000));
        assertThat(drawn.get(999)).isBetween(Duration.ofNanos(9_900_000), Duration.ofMillis(10));
    }

    @Test
    void aJitteredPauseBelowAMillisecondIsFromHalfToTheWholePause() {
        Duration pause = Duration.ofNanos(900_000);
        SplittableRandom random = new SplittableRandom(7);

        for (int draw = 0; draw < 100; draw++) {
            assertThat(retry().delay(pause).jitter().pauseAfter(1, random)).isBetween(pause.dividedBy(2), pause);
        }
    }

    @Test
    void onlyTheNamedFailuresAreRetriedExceptExcludedFailures() {
        Retry retry =
                retry().retryOn(IOException.class, IllegalStateException.class).noRetryOn(FileNotFoundException.class);

        assertThat(retry.covers(new IOException())).isTrue();
        assertThat(retry.covers(new IllegalStateException())).isTrue();
        assertThat(retry.covers(new FileNotFoundException())).isFalse();
        assertThat(retry.covers(new IllegalArgumentException())).isFalse();
        assertThat(retry().covers(new IllegalArgumentException())).isTrue();
    }

    @Test
    void anInvalidPolicyReportsItsFault() {
        assertThat(retry().max(0).faults()).hasSize(1);
        assertThat(retry().delay(Duration.ofSeconds(-1)).faults()).hasSize(1);
        assertThat(retry().maxDelay(Duration.ofSeconds(-1)).faults()).hasSize(1);
        assertThat(retry().faults()).isEmpty();
    }
}
