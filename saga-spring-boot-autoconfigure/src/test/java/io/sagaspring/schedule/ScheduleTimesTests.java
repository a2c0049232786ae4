package io.sagaspring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schedule.ScheduleSpec.Cron;
import io.sagaspring.schedule.ScheduleSpec.Delay;
import io.sagaspring.schedule.ScheduleSpec.Rate;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the instants of schedules, including the nights in which clocks change. */
class ScheduleTimesTests {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static List<Instant> after(ScheduleSpec spec, Instant from, int count) {
        List<Instant> instants = new ArrayList<>();
        for (Instant each = ScheduleTimes.next(spec, from);
                each != null && instants.size() < count;
                each = ScheduleTimes.next(spec, each)) {
            instants.add(each);
        }
        return instants;
    }

    private static String local(String expression, String zone, String from, int count) {
        ZoneId in = ZoneId.of(zone);
        return after(
                        new Cron(expression, in),
                        LocalDateTime.parse(from).atZone(in).toInstant(),
                        count)
                .stream()
                .map(each -> each.atZone(in))
                .map(each -> "%s%s".formatted(each.toLocalDateTime(), each.getOffset()))
                .collect(Collectors.joining(" "));
    }

    /** In this night, the hour from 02:00 to 03:00 does not exist. A daily time in this hour fires at 03:00, once. */
    @ParameterizedTest
    @CsvSource({
        "0 30 2 * * *, 2026-03-28T02:30+01:00 2026-03-29T03:00+02:00 2026-03-30T02:30+02:00",
        "0 0 2 * * *,  2026-03-28T02:00+01:00 2026-03-29T03:00+02:00 2026-03-30T02:00+02:00",
        "0 0/20 2 * * *, 2026-03-28T02:00+01:00 2026-03-28T02:20+01:00 2026-03-28T02:40+01:00 2026-03-29T03:00+02:00 2026-03-30T02:00+02:00",
        "0 0 3 * * *,  2026-03-28T03:00+01:00 2026-03-29T03:00+02:00 2026-03-30T03:00+02:00",
        "'0 0 2,3 * * *', 2026-03-28T02:00+01:00 2026-03-28T03:00+01:00 2026-03-29T03:00+02:00 2026-03-30T02:00+02:00",
        "0 30 2 29 3 *, 2026-03-29T03:00+02:00 2027-03-29T02:30+02:00",
    })
    void aTimeThatDoesNotExistFiresOnceAtTheEndOfTheGap(String expression, String expected) {
        assertThat(local(expression, "Europe/Berlin", "2026-03-28T00:00", expected.split(" ").length))
                .isEqualTo(expected);
    }

    /**
     * In this night, the hour from 02:00 to 03:00 exists twice. A daily time in this hour fires the first time only.
     */
    @ParameterizedTest
    @CsvSource({
        "0 30 2 * * *, 2026-10-24T02:30+02:00 2026-10-25T02:30+02:00 2026-10-26T02:30+01:00",
        "0 0 2 * * *,  2026-10-24T02:00+02:00 2026-10-25T02:00+02:00 2026-10-26T02:00+01:00",
        "0 0/30 2 * * *, 2026-10-24T02:00+02:00 2026-10-24T02:30+02:00 2026-10-25T02:00+02:00 2026-10-25T02:30+02:00 2026-10-26T02:00+01:00",
        "0 0 3 * * *,  2026-10-24T03:00+02:00 2026-10-25T03:00+01:00 2026-10-26T03:00+01:00",
    })
    void aTimeThatExistsTwiceFiresOnceAtItsFirstOccurrence(String expression, String expected) {
        assertThat(local(expression, "Europe/Berlin", "2026-10-24T00:00", expected.split(" ").length))
                .isEqualTo(expected);
    }

    @Test
    void anHourlyScheduleFiresEveryRealHourWhenTheClocksChange() {
        assertThat(local("0 30 * * * *", "Europe/Berlin", "2026-03-29T01:00", 3))
                .isEqualTo("2026-03-29T01:30+01:00 2026-03-29T03:30+02:00 2026-03-29T04:30+02:00");
        assertThat(local("0 30 * * * *", "Europe/Berlin", "2026-10-25T01:00", 4))
                .isEqualTo(
                        "2026-10-25T01:30+02:00 2026-10-25T02:30+02:00 2026-10-25T02:30+01:00 2026-10-25T03:30+01:00");
    }

    /** The clock on Lord Howe Island changes by half an hour, and Samoa left out a whole day. */
    @Test
    void timesInGapsOfOtherLengthsFireOnceAtTheEndOfTheGap() {
        assertThat(local("0 15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00", 3))
                .isEqualTo("2026-10-03T02:15+10:30 2026-10-04T02:30+11:00 2026-10-05T02:15+11:00");
        assertThat(local("0 0 9 * * *", "Pacific/Apia", "2011-12-29T00:00", 3))
                .isEqualTo("2011-12-29T09:00-10:00 2011-12-31T00:00+14:00 2011-12-31T09:00+14:00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "Pacific/Apia"})
    void aDailyTimeFiresOncePerDayForTwentyYears(String zone) {
        ZoneId in = ZoneId.of(zone);
        for (String time : List.of("02:00", "02:15", "02:30", "03:00", "00:00", "12:00")) {
            LocalTime at = LocalTime.parse(time);
            Cron cron = new Cron("0 %d %d * * *".formatted(at.getMinute(), at.getHour()), in);
            Instant each = LocalDate.parse("2020-01-01")
                    .atStartOfDay(in)
                    .minusSeconds(1)
                    .toInstant();
            for (LocalDate day = LocalDate.parse("2020-01-01"); day.getYear() < 2040; day = day.plusDays(1)) {
                each = Objects.requireNonNull(ScheduleTimes.next(cron, each));
                assertThat(each.atZone(in).toLocalDate()).as(time).isEqualTo(day);
            }
        }
    }

    /**
     * The next instant must not depend on where the search began, because each node begins its search at another time.
     */
    @Test
    void theNextInstantIsTheSameWhereverTheSearchBegins() {
        Random random = new Random(7);
        for (String expression : List.of("0 30 2 * * *", "0 0/20 2 * * *", "0 30 * * * *", "0 0 2,3 * * SUN")) {
            Cron cron = new Cron(expression, BERLIN);
            for (String from : List.of("2026-03-27T00:00:00Z", "2026-10-23T00:00:00Z")) {
                Instant start = Instant.parse(from);
                List<Instant> all = after(cron, start, 200);
                for (int round = 0; round < 300; round++) {
                    Instant anywhere = start.plusSeconds(random.nextInt(5 * 86_400));
                    assertThat(ScheduleTimes.next(cron, anywhere)).isEqualTo(first(all, anywhere));
                }
            }
        }
    }

    private static @Nullable Instant first(List<Instant> all, Instant after) {
        return all.stream().filter(each -> each.isAfter(after)).findFirst().orElse(null);
    }

    @Test
    void anExpressionThatNeverFiresHasNoNextInstant() {
        assertThat(ScheduleTimes.next(new Cron("0 0 0 30 2 *", BERLIN), Instant.parse("2026-01-01T00:00:00Z")))
                .isNull();
    }

    @Test
    void aRateHasTheSameInstantsOnAllNodes() {
        Rate rate = new Rate(Duration.ofMinutes(7));

        assertThat(ScheduleTimes.next(rate, Instant.EPOCH)).isEqualTo(Instant.EPOCH.plusSeconds(420));
        assertThat(ScheduleTimes.next(rate, Instant.EPOCH.plusSeconds(419))).isEqualTo(Instant.EPOCH.plusSeconds(420));
        assertThat(ScheduleTimes.next(rate, Instant.EPOCH.minusNanos(1))).isEqualTo(Instant.EPOCH);
    }

    @Test
    void theNextInstantOfAFixedDelayIsOneDelayLater() {
        assertThat(ScheduleTimes.next(new Delay(Duration.ofMinutes(5)), Instant.EPOCH))
                .isEqualTo(Instant.EPOCH.plusSeconds(300));
    }

    @Test
    void latestReturnsTheLastInstantUpToTheGivenTime() {
        Random random = new Random(11);
        for (ScheduleSpec spec : List.of(
                new Cron("* * * * * *", BERLIN),
                new Cron("0 30 2 * * *", BERLIN),
                new Cron("0 0 0 1 1 *", BERLIN),
                new Cron("0/10 * 9 * * MON", BERLIN),
                new Rate(Duration.ofMillis(100)),
                new Rate(Duration.ofHours(5)))) {
            for (int round = 0; round < 20; round++) {
                Instant from = Instant.parse("2024-01-01T00:00:00Z").plusSeconds(random.nextInt(10_000_000));
                Instant first = Objects.requireNonNull(ScheduleTimes.next(spec, from));
                Instant until = first.plusSeconds(random.nextInt(400 * 86_400));

                Instant latest = ScheduleTimes.latest(spec, first, until);

                assertThat(latest).isBetween(first, until);
                assertThat(ScheduleTimes.next(spec, latest)).isAfter(until);
                assertThat(ScheduleTimes.next(spec, latest.minusNanos(1))).isEqualTo(latest);
            }
        }
    }

    @Test
    void instantsAreCountedUpToALimit() {
        Instant first = Instant.parse("2024-01-01T00:00:00Z");

        assertThat(ScheduleTimes.count(new Rate(Duration.ofSeconds(1)), first, first.plusSeconds(9)))
                .isEqualTo(9);
        assertThat(ScheduleTimes.count(new Cron("* * * * * *", BERLIN), first, first.plusSeconds(9)))
                .isEqualTo(9);
        for (ScheduleSpec spec : List.of(new Rate(Duration.ofSeconds(1)), new Cron("* * * * * *", BERLIN))) {
            assertThat(ScheduleTimes.count(spec, first, first.plus(Duration.ofDays(900))))
                    .isEqualTo(ScheduleTimes.MOST_COUNTED);
            assertThat(ScheduleTimes.count(spec, first, first.plusSeconds(9).plusNanos(1)))
                    .isEqualTo(10);
            assertThat(ScheduleTimes.count(spec, first, first)).isZero();
        }
    }
}
