package io.sagaspring.run.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartRateTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Instant BEGINNING = Instant.parse("2026-11-25T00:00:00Z");

    /**
     * Returns the largest number of starts within one period. Callers try at random times, and sometimes after long
     * pauses.
     */
    private static int mostWithinAPeriod(StartRate rate, long seed) {
        Random random = new Random(seed);
        Deque<Instant> begun = new ArrayDeque<>();
        Instant now = BEGINNING;
        Instant usedUntil = null;
        int most = 0;
        for (int attempt = 0; attempt < 20_000; attempt++) {
            boolean isLong = random.nextInt(50) == 0;
            long longest = isLong ? 2 * micros(rate.per()) : micros(rate.per()) / rate.starts() / 2;
            now = now.plusNanos(1_000 * (long) (random.nextDouble() * longest));
            if (!rate.nextStart(usedUntil, now).isAfter(now)) {
                usedUntil = rate.usedAfterStart(usedUntil, now);
                begun.add(now);
                while (!begun.element().isAfter(now.minus(rate.per()))) {
                    Instant unused = begun.remove();
                }
                most = Math.max(most, begun.size());
            }
        }
        return most;
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    @ParameterizedTest
    @CsvSource({"100, 1", "100, 10", "100, 100", "10, 5", "2, 2", "1, 1", "7, 3"})
    void noPeriodHasMoreStartsThanTheRateAllows(int starts, int burst) {
        StartRate rate = new StartRate(starts, MINUTE, burst);
        for (long seed = 0; seed < 10; seed++) {
            assertThat(mostWithinAPeriod(rate, seed)).isLessThanOrEqualTo(starts);
        }
    }

    /**
     * The limit is not lower than necessary: a caller that tries at every moment gets all starts that the rate allows.
     */
    @ParameterizedTest
    @CsvSource({"100, 1", "100, 10", "10, 5", "7, 3"})
    void aBurstAndTheLaterStartsReachTheLimit(int starts, int burst) {
        StartRate rate = new StartRate(starts, MINUTE, burst);
        Instant usedUntil = null;
        int begun = 0;
        Instant now = BEGINNING;
        while (now.isBefore(BEGINNING.plus(MINUTE))) {
            Instant next = rate.nextStart(usedUntil, now);
            now = next.isAfter(now) ? next : now;
            if (now.isBefore(BEGINNING.plus(MINUTE))) {
                usedUntil = rate.usedAfterStart(usedUntil, now);
                begun++;
            }
        }
        assertThat(begun).isEqualTo(starts);
    }

    @Test
    void theTimeBetweenTwoStartsIsRoundedUpToMicroseconds() {
        assertThat(new StartRate(3, Duration.ofSeconds(1), 1).step()).isEqualTo(Duration.ofNanos(333_334_000));
        assertThat(new StartRate(100, MINUTE, 1).step()).isEqualTo(Duration.ofMillis(600));
        assertThat(new StartRate(100, MINUTE, 1).tolerance()).isZero();
        assertThat(new StartRate(100, MINUTE, 10).step()).isEqualTo(Duration.ofNanos(659_341_000));
        assertThat(new StartRate(100_000, Duration.ofDays(31), 100_000).tolerance())
                .isEqualTo(Duration.ofDays(31).multipliedBy(99_999));
    }

    @Test
    void latestUseIsTheTimeDirectlyAfterABurst() {
        StartRate rate = new StartRate(10, MINUTE, 4);
        Instant usedUntil = null;
        for (int each = 0; each < 4; each++) {
            usedUntil = rate.usedAfterStart(usedUntil, BEGINNING);
        }

        assertThat(rate.latestUse(BEGINNING)).isEqualTo(usedUntil);
        assertThat(rate.nextStart(usedUntil, BEGINNING)).isEqualTo(BEGINNING.plus(rate.step()));
    }

    @Test
    void aRateIsReadFromANumberASlashAndADuration() {
        assertThat(StartRate.parse("100/1m")).isEqualTo(new StartRate(100, MINUTE, 1));
        assertThat(StartRate.parse(" 10 / PT1S ")).isEqualTo(new StartRate(10, Duration.ofSeconds(1), 1));
        assertThat(Objects.requireNonNull(StartRate.parse("100/1m")).withBurst(5))
                .hasToString("100/1 min with a burst of 5");
        assertThat(new StartRate(10, Duration.ofSeconds(1), 1)).hasToString("10/1 s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100", "100/", "/1m", "-1/1m", "100/1 fortnight", "9999999999/1m", "100/1m/2"})
    void anyOtherTextIsNoRate(String text) {
        assertThat(StartRate.parse(text)).isNull();
    }
}
