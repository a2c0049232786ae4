package io.sagaspring.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * Computes the instants of a schedule, without reading a clock.
 *
 * <p>Spring's {@link CronExpression} skips a daily time that falls into the hour that is missing in spring, and returns
 * a daily time twice if its hour occurs twice in autumn. If the hours of an expression are a list of numbers, this
 * class corrects that:
 *
 * <ul>
 *   <li>A time that does not exist on a day fires at the end of the gap, once for each gap.
 *   <li>A time that exists twice on a day fires only at its first occurrence.
 * </ul>
 *
 * <p>If the hours are written differently, such as {@code *} for every hour, the instants of Spring's {@link
 * CronExpression} are not changed.
 */
final class ScheduleTimes {

    /** The most instants that are counted one by one. */
    static final int MOST_COUNTED = 10_000;

    private static final int HOURS = 2;
    private static final Pattern NUMBERS = Pattern.compile("\\p{Nd}+(,\\p{Nd}+)*");
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Duration PRECISION = Duration.ofMillis(1);

    private ScheduleTimes() {}

    /**
     * Returns the first instant after the given one, or null if there is none. For a fixed delay, this is the end of
     * the delay that begins at the given instant.
     */
    static @Nullable Instant next(ScheduleSpec spec, Instant after) {
        if (spec instanceof ScheduleSpec.Cron cron) {
            return next(cron, after);
        }
        if (spec instanceof ScheduleSpec.Rate rate) {
            long every = rate.interval().toMillis();
            return Instant.ofEpochMilli((Math.floorDiv(after.toEpochMilli(), every) + 1) * every);
        }
        return after.plus(((ScheduleSpec.Delay) spec).pause());
    }

    private static @Nullable Instant next(ScheduleSpec.Cron cron, Instant after) {
        CronExpression expression = cron.parsed();
        ZoneRules rules = cron.zone().getRules();
        ZonedDateTime next = expression.next(after.atZone(cron.zone()));
        if (!hasFixedHours(expression) || rules.isFixedOffset()) {
            return next == null ? null : next.toInstant();
        }
        while (next != null && isSecondOccurrence(rules, next)) {
            next = expression.next(next);
        }
        Instant found = next == null ? null : next.toInstant();
        for (ZoneOffsetTransition change = rules.nextTransition(after);
                change != null && found != null && !change.getInstant().isAfter(found);
                change = rules.nextTransition(change.getInstant())) {
            if (change.isGap() && isDueIn(expression, change)) {
                return change.getInstant();
            }
        }
        return found;
    }

    static boolean hasFixedHours(CronExpression expression) {
        return NUMBERS.matcher(BLANKS.split(expression.toString().strip(), -1)[HOURS])
                .matches();
    }

    private static boolean isSecondOccurrence(ZoneRules rules, ZonedDateTime time) {
        ZoneOffsetTransition change = rules.getTransition(time.toLocalDateTime());
        return change != null && change.isOverlap() && change.getOffsetAfter().equals(time.getOffset());
    }

    /** Returns true if a local time of the expression is one of those that the gap leaves out. */
    private static boolean isDueIn(CronExpression expression, ZoneOffsetTransition gap) {
        LocalDateTime missing = expression.next(gap.getDateTimeBefore().minusNanos(1));
        return missing != null && missing.isBefore(gap.getDateTimeAfter());
    }

    /**
     * Returns the latest instant up to a time. Searches by halving the time span, because there may be millions of
     * instants since the first.
     *
     * @param first an instant of the schedule
     * @param until a time that is not before the first instant
     */
    static Instant latest(ScheduleSpec spec, Instant first, Instant until) {
        if (spec instanceof ScheduleSpec.Rate rate) {
            long every = rate.interval().toMillis();
            return Instant.ofEpochMilli(Math.floorDiv(until.toEpochMilli(), every) * every);
        }
        Instant latest = first;
        Instant none = until;
        while (latest.plus(PRECISION).isBefore(none)) {
            Instant middle = latest.plus(Duration.between(latest, none).dividedBy(2));
            Instant next = next(spec, middle);
            if (next == null || next.isAfter(until)) {
                none = middle;
            } else {
                latest = next;
            }
        }
        Instant next = next(spec, latest);
        return next == null || next.isAfter(until) ? latest : next;
    }

    /**
     * Counts the instants from {@code first}, inclusive, to {@code last}, exclusive, but at most {@link #MOST_COUNTED}.
     */
    static int count(ScheduleSpec spec, Instant first, Instant last) {
        if (spec instanceof ScheduleSpec.Rate rate) {
            Duration span = Duration.between(first, last).minusNanos(1);
            return span.isNegative() ? 0 : (int) Math.min(MOST_COUNTED, span.dividedBy(rate.interval()) + 1);
        }
        int counted = 0;
        for (Instant each = first;
                each != null && each.isBefore(last) && counted < MOST_COUNTED;
                each = next(spec, each)) {
            counted++;
        }
        return counted;
    }
}
