package io.sagaspring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.due.Backlog;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Registers gauges of due runs, deliveries or background work that no node has picked up. */
final class BacklogGauges {

    private BacklogGauges() {}

    /**
     * Registers three gauges. The gauges show NaN until the database has answered for the first time.
     *
     * @param known the supplier of the latest known backlog; it returns null before the first answer
     */
    static void bind(MeterRegistry registry, String prefix, String subject, Supplier<@Nullable List<Backlog>> known) {
        Gauge.builder(prefix + ".backlog", () -> figure(known, BacklogGauges::due))
                .description("Due %s that no node has picked up yet, up to 1,000 of each kind.".formatted(subject))
                .register(registry);
        Gauge.builder(prefix + ".lag", () -> figure(known, BacklogGauges::oldest))
                .description("Longest wait of due %s that no node has picked up yet.".formatted(subject))
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder(prefix + ".unknown", () -> figure(known, BacklogGauges::unknown))
                .description("Due %s for which this node has no code.".formatted(subject))
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
