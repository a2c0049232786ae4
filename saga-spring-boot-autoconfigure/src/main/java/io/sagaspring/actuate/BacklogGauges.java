package io.sagaspring.actuate;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.due.Backlog;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Shows as gauges what is due and not picked up. */
final class BacklogGauges {

    private BacklogGauges() {}

    /**
     * Registers three gauges. They show no number until the database has answered for the first time.
     *
     * @param known returns the backlog, or null while nothing is known
     */
    static void bind(MeterRegistry registry, String prefix, String what, Supplier<@Nullable List<Backlog>> known) {
        Gauge.builder(prefix + ".backlog", () -> figure(known, BacklogGauges::due))
                .description("%s due and not picked up, on all nodes; no more than 1,000 of each kind are counted."
                        .formatted(what))
                .register(registry);
        Gauge.builder(prefix + ".lag", () -> figure(known, BacklogGauges::oldest))
                .description("Time for which the oldest of the %s has been due.".formatted(what))
                .baseUnit("seconds")
                .register(registry);
        Gauge.builder(prefix + ".unknown", () -> figure(known, BacklogGauges::unknown))
                .description("%s due for which this node has no code.".formatted(what))
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
