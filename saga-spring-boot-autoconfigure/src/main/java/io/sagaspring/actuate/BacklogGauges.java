package io.sagaspring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.due.Backlog;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Registers gauges of the rows that are due and that no node has picked up. */
final class BacklogGauges {

    private BacklogGauges() {}

    /**
     * Registers three gauges. The gauges show NaN until the database has answered for the first time.
     *
     * @param known returns the latest known backlog, or null before the first answer
     */
    static void bind(MeterRegistry registry, String prefix, String subject, Supplier<@Nullable List<Backlog>> known) {
        Gauge.builder(prefix + ".backlog", () -> figure(known, BacklogGauges::due))
                .description(
                        "%s that are due and that no node has picked up yet. At most 1,000 of each kind are counted."
                                .formatted(subject))
                .register(registry);
        Gauge.builder(prefix + ".lag", () -> figure(known, BacklogGauges::oldest))
                .description(
                        "%s: age of the oldest one that is due and that no node has picked up yet.".formatted(subject))
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder(prefix + ".unknown", () -> figure(known, BacklogGauges::unknown))
                .description("%s that are due, but this node has no code for them.".formatted(subject))
                .register(registry);
    }

    private static double figure(Supplier<@Nullable List<Backlog>> known, ToDoubleFunction<List<Backlog>> figure) {
        List<Backlog> backlog = known.get();
        return backlog == null ? Double.NaN : figure.applyAsDouble(backlog);
    }

    private static double due(List<Backlog> backlog) {
        return backlog.stream().mapToInt(Backlog::due).sum();
    }

    private static double oldest(List<Backlog> backlog) {
        return backlog.stream()
                .mapToDouble(each -> seconds(each.oldest()))
                .max()
                .orElse(0);
    }

    private static double unknown(List<Backlog> backlog) {
        return due(backlog.stream().filter(each -> !each.known()).toList());
    }

    static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }
}
