package io.sagaspring.schedule;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The times of a schedule, as stored.
 *
 * @since 0.1.0
 */
public sealed interface ScheduleSpec {

    /**
     * Times of a cron expression.
     *
     * @param expression the expression, with seconds
     * @param zone the time zone of the times
     */
    record Cron(String expression, ZoneId zone) implements ScheduleSpec {

        CronExpression parsed() {
            return CronExpression.parse(expression);
        }

        @Override
        public String text() {
            return CRON + expression;
        }

        @Override
        public String toString() {
            return "%s in %s".formatted(expression, zone);
        }
    }

    /**
     * The multiples of an interval since 1970-01-01T00:00Z, so that all nodes agree.
     *
     * @param interval the interval, a whole number of milliseconds
     */
    record Rate(Duration interval) implements ScheduleSpec {

        @Override
        public String text() {
            return RATE + interval;
        }

        @Override
        public String toString() {
            return "every " + DurationText.exactly(interval);
        }
    }

    /**
     * The times at which a pause has passed since the end of the latest run.
     *
     * @param pause the pause
     */
    record Delay(Duration pause) implements ScheduleSpec {

        @Override
        public String text() {
            return DELAY + pause;
        }

        @Override
        public String toString() {
            return "%s after the end of the previous run".formatted(DurationText.exactly(pause));
        }
    }

    /** The prefix of a stored cron expression. */
    String CRON = "cron ";

    /** The prefix of a stored rate. */
    String RATE = "rate ";

    /** The prefix of a stored delay. */
    String DELAY = "delay ";

    /**
     * Returns the form in which the store keeps these times, without the time zone.
     *
     * @return the text
     */
    String text();

    /**
     * Returns the time zone.
     *
     * @return the zone, or null if these times need none
     */
    default @Nullable String zoneText() {
        return this instanceof Cron cron ? cron.zone().getId() : null;
    }

    /**
     * Reads stored times.
     *
     * @param text the text
     * @param zone the time zone, or null
     * @return the times
     * @throws IllegalArgumentException if the text is in a form that this version does not know
     */
    static ScheduleSpec of(String text, @Nullable String zone) {
        if (text.startsWith(CRON) && zone != null) {
            return new Cron(text.substring(CRON.length()), ZoneId.of(zone));
        }
        if (text.startsWith(RATE)) {
            return new Rate(Duration.parse(text.substring(RATE.length())));
        }
        if (text.startsWith(DELAY)) {
            return new Delay(Duration.parse(text.substring(DELAY.length())));
        }
        throw new IllegalArgumentException(
                "This version of the library does not know the form of the stored times '%s'. Update the library on this node."
                        .formatted(text));
    }
}
