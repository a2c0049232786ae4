package io.sagaspring.due;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetriesTests {

    private final Retries retries = new Retries(10, Duration.ofSeconds(1), Duration.ofMinutes(10));

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 4", "9, 256", "10, 512", "11, 600", "31, 600", "100, 600", "2147483647, 600"})
    void pausesDoubleUpToALimitAndAreRandomlyShortenedByUpToHalf(int attempt, long seconds) {
        Duration full = Duration.ofSeconds(seconds);

        assertThat(IntStream.range(0, 200).mapToObj(again -> retries.pauseAfter(attempt)))
                .allMatch(pause -> pause.compareTo(full.dividedBy(2)) >= 0 && pause.compareTo(full) <= 0);
        assertThat(IntStream.range(0, 200)
                        .mapToObj(again -> retries.pauseAfter(attempt))
                        .distinct())
                .as("different pauses")
                .hasSizeGreaterThan(1);
    }

    @Test
    void theSmallestValidPolicyPausesAtMostAMillisecond() {
        Retries least = new Retries(1, Duration.ofMillis(1), Duration.ofMillis(1));

        assertThat(least.pauseAfter(1)).isBetween(Duration.ZERO, Duration.ofMillis(1));
    }

    @ParameterizedTest
    @CsvSource({"0, PT1S, PT1M", "-1, PT1S, PT1M", "1, PT0S, PT1M", "1, PT-1S, PT1M", "1, PT1M, PT59S"})
    void aPolicyWithInvalidAttemptsOrPausesIsRefused(int attempts, Duration first, Duration longest) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Retries(attempts, first, longest))
                .withMessageEndingWith("Found: %d attempts, a first pause of %s and a longest pause of %s."
                        .formatted(attempts, DurationText.of(first), DurationText.of(longest)));
    }
}
