package io.sagaspring.schedule;

import io.sagaspring.fence.DurationText;
import io.sagaspring.schedule.ScheduleSettings.Of;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.support.CronExpression;

/** Reads one schedule from its annotation and its properties, and collects the faults of both. */
final class ScheduleReading {

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final Set<String> OFF = Set.of("off", "-");

    /** An arbitrary instant. A cron expression that fires at all also fires after this instant. */
    private static final Instant SOME_TIME = Instant.parse("2026-01-01T00:00:00Z");

    private final RunSchedule annotation;
    private final Of properties;
    private final ScheduleSettings settings;
    private final String place;
    private final List<String> faults;

    ScheduleReading(RunSchedule annotation, Class<?> type, ScheduleSettings settings, List<String> faults) {
        this.annotation = annotation;
        this.properties = settings.byName().getOrDefault(annotation.name(), Of.NONE);
        this.settings = settings;
        this.place = type.getName();
        this.faults = faults;
    }

    /** A value with the name of its attribute or property, and with the place where it was set. */
    private record Given(String name, String text, String from) {

        boolean isOff() {
            return OFF.contains(text.strip());
        }
    }

    /** Returns the terms, or null if the schedule is off or has faults. */
    @Nullable
    ScheduleTerms terms(String run) {
        int before = faults.size();
        if (Boolean.FALSE.equals(properties.enabled())) {
            return null;
        }
        Given cron = given("cron", properties.cron(), annotation.cron());
        Given rate = given("fixedRate", properties.fixedRate(), annotation.fixedRate());
        Given delay = given("fixedDelay", properties.fixedDelay(), annotation.fixedDelay());
        List<Given> times = ofTheProperties(
                Stream.of(cron, rate, delay).flatMap(Stream::ofNullable).toList());
        if (faults.size() > before || times.stream().anyMatch(Given::isOff)) {
            return null;
        }
        if (times.size() != 1) {
            fault(
                    times.isEmpty()
                            ? "has neither a cron expression nor a fixed rate nor a fixed delay. Give one of them."
                            : "has %s. Give only one of them."
                                    .formatted(String.join(
                                            " and ",
                                            times.stream().map(Given::name).toList())));
            return null;
        }
        ScheduleSpec spec = spec(times.get(0), cron, rate);
        Missed missed = properties.missed() == null ? annotation.missed() : properties.missed();
        Overlap overlap = properties.overlap() == null ? annotation.overlap() : properties.overlap();
        Duration window = window(missed);
        Given queue = given("queue", properties.queue(), annotation.queue());
        checkQueue(queue);
        checkCombination(spec, missed, overlap);
        return faults.size() > before || spec == null || window == null
                ? null
                : new ScheduleTerms(run, spec, missed, window, overlap, queue == null ? null : queue.text());
    }

    /**
     * Returns the times from properties, or those of the annotation if there are none. A property replaces the
     * annotation's times even if it has another kind, such as a rate instead of a cron expression.
     */
    private static List<Given> ofTheProperties(List<Given> times) {
        List<Given> configured = times.stream()
                .filter(each -> each.name().startsWith(ScheduleSettings.PROPERTIES))
                .toList();
        return configured.isEmpty() ? times : configured;
    }

    private @Nullable ScheduleSpec spec(Given time, @Nullable Given cron, @Nullable Given rate) {
        if (time.equals(cron)) {
            return cron(time);
        }
        Given zone = given("zone", properties.zone(), annotation.zone());
        if (zone != null) {
            fault("has a time zone, but a time zone affects only a cron expression. Remove %s%s."
                    .formatted(zone.name(), zone.from()));
        }
        Duration duration = duration(time);
        if (duration == null) {
            return null;
        }
        if (duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
            fault("has %s=%s%s, which must be at least %s and at most 100 years. Correct it."
                    .formatted(time.name(), time.text(), time.from(), DurationText.exactly(SHORTEST)));
            return null;
        }
        Duration whole = Duration.ofMillis(duration.toMillis());
        return time.equals(rate) ? new ScheduleSpec.Rate(whole) : new ScheduleSpec.Delay(whole);
    }

    private @Nullable ScheduleSpec cron(Given cron) {
        ZoneId zone = zone();
        CronExpression expression;
        try {
            expression = CronExpression.parse(cron.text());
        } catch (IllegalArgumentException refused) {
            fault("has %s='%s'%s, which is not a cron expression: %s. Write six fields, such as '0 30 2 * * *'."
                    .formatted(cron.name(), cron.text(), cron.from(), refused.getMessage()));
            return null;
        }
        if (zone == null) {
            return null;
        }
        ScheduleSpec.Cron spec = new ScheduleSpec.Cron(expression.toString(), zone);
        if (ScheduleTimes.next(spec, SOME_TIME) == null) {
            fault("has %s='%s'%s, which never fires. Correct the expression, or write 'off'."
                    .formatted(cron.name(), cron.text(), cron.from()));
            return null;
        }
        return spec;
    }

    private @Nullable ZoneId zone() {
        Given zone = given("zone", properties.zone(), annotation.zone());
        if (zone == null) {
            return ZoneOffset.UTC;
        }
        try {
            return ZoneId.of(zone.text());
        } catch (DateTimeException unknown) {
            fault("has %s=%s%s, which is unknown. Write a zone such as Europe/Berlin."
                    .formatted(zone.name(), zone.text(), zone.from()));
            return null;
        }
    }

    private @Nullable Duration window(Missed missed) {
        Duration configured = properties.missedWindow();
        Given window = given(
                "missedWindow",
                configured == null ? null : DurationText.exactly(configured),
                annotation.missedWindow());
        if (window == null) {
            return DAY;
        }
        if (missed != Missed.ALL) {
            fault("has %s=%s%s, which only has an effect if all missed instants fire. Remove it, or set missed to ALL."
                    .formatted(window.name(), window.text(), window.from()));
            return null;
        }
        Duration duration = configured == null ? duration(window) : configured;
        if (duration != null && (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0)) {
            fault("has %s=%s%s, which must be positive and at most 100 years. Correct it."
                    .formatted(window.name(), window.text(), window.from()));
            return null;
        }
        return duration;
    }

    private void checkQueue(@Nullable Given queue) {
        if (queue == null) {
            return;
        }
        Set<String> declared = settings.queues();
        if (!declared.contains(queue.text())) {
            fault("has %s='%s'%s, but the application declares no such queue. %s"
                    .formatted(
                            queue.name(),
                            queue.text(),
                            queue.from(),
                            declared.isEmpty()
                                    ? "Declare it as a bean of type RunQueue."
                                    : "The queues are: %s. Correct the name, or declare the queue."
                                            .formatted(
                                                    declared.stream().sorted().collect(Collectors.joining(", ")))));
        }
    }

    private void checkCombination(@Nullable ScheduleSpec spec, Missed missed, Overlap overlap) {
        if (spec instanceof ScheduleSpec.Delay && (missed != Missed.LATEST || overlap != Overlap.SKIP)) {
            fault(
                    "has a fixed delay, so it never misses an instant or overlaps. Leave missed and overlap at their defaults. Found: missed=%s and overlap=%s."
                            .formatted(missed, overlap));
        } else if (missed == Missed.ALL && overlap != Overlap.ALLOW) {
            fault(
                    "has missed=ALL and overlap=%s, which would skip all but one of the missed instants. Set overlap to ALLOW, or missed to LATEST."
                            .formatted(overlap));
        }
    }

    private @Nullable Duration duration(Given given) {
        try {
            return DurationFormatterUtils.detectAndParse(given.text());
        } catch (IllegalArgumentException refused) {
            fault("has %s=%s%s, which is not a duration. Write a duration such as 5m or PT5M."
                    .formatted(given.name(), given.text(), given.from()));
            return null;
        }
    }

    private @Nullable Given given(String attribute, @Nullable String property, String value) {
        if (property != null) {
            String name = ScheduleSettings.PROPERTIES + annotation.name() + "." + dashed(attribute);
            return property.isBlank() ? null : new Given(name, property.strip(), settings.origin(name));
        }
        String text;
        try {
            text = settings.resolve(value);
        } catch (IllegalArgumentException unresolved) {
            fault("has %s=%s, and a placeholder has no value: %s. Set the property, or write the value itself."
                    .formatted(attribute, value, unresolved.getMessage()));
            return null;
        }
        return text.isBlank() ? null : new Given(attribute, text.strip(), "");
    }

    private static String dashed(String attribute) {
        List<String> words = new ArrayList<>(List.of(attribute.split("(?=[A-Z])", -1)));
        words.replaceAll(word -> word.toLowerCase(Locale.ROOT));
        return String.join("-", words);
    }

    private void fault(String predicate) {
        faults.add("The schedule '%s' of %s %s".formatted(annotation.name(), place, predicate));
    }
}
