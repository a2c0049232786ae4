package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Contest.Setting;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The results of several settings, printed as tables.
 *
 * @param rounds the measured turns by setting
 * @param counted the turns whose traffic was counted on the wire. These turns are separate, because counting takes time
 */
record Results<V extends Enum<V>>(Map<Setting, List<Map<V, Turn>>> rounds, Map<Setting, Map<V, Turn>> counted) {

    /**
     * Prints the throughput of each contender relative to each given contender, and the figures that explain the
     * difference.
     */
    void print(List<V> bases) {
        rounds.forEach((setting, measured) -> {
            System.out.printf(
                    "%n%s. Medians of %d rounds, with the quartiles in brackets:%n%n", text(setting), measured.size());
            head(Stream.concat(
                    Stream.concat(Stream.of("contender"), bases.stream().map("× %s"::formatted)),
                    Stream.of("a second", "p50 / p99", "CPU: client + database", "write commits", "log")));
            contenders(measured.get(0))
                    .forEach(contender -> row(Stream.concat(
                            Stream.concat(
                                    Stream.of(contender.toString()),
                                    bases.stream().map(base -> ratio(measured, contender, base))),
                            figures(measured.stream()
                                    .map(round -> of(round, contender))
                                    .toList()))));
        });
        counted.forEach((setting, turns) -> {
            System.out.printf("%n%s. Traffic, counted on the wire:%n%n", text(setting));
            head(Stream.of("contender", "statements", "round trips", "write commits", "log"));
            contenders(turns)
                    .forEach(contender ->
                            row(Stream.concat(Stream.of(contender.toString()), sent(of(turns, contender)))));
        });
    }

    private static String text(Setting setting) {
        return "%d callers at once, each flush delayed by %d ms"
                .formatted(setting.callers(), setting.flush().toMillis());
    }

    private static <V extends Enum<V>> List<V> contenders(Map<V, Turn> turns) {
        return turns.keySet().stream().sorted().toList();
    }

    private static <V extends Enum<V>> Turn of(Map<V, Turn> turns, V contender) {
        return Objects.requireNonNull(turns.get(contender));
    }

    private static void head(Stream<String> cells) {
        List<String> columns = cells.toList();
        row(columns.stream());
        row(Collections.nCopies(columns.size(), "---").stream());
    }

    private static void row(Stream<String> cells) {
        System.out.println(cells.collect(Collectors.joining(" | ", "| ", " |")));
    }

    private static <V extends Enum<V>> String ratio(List<Map<V, Turn>> rounds, V contender, V base) {
        if (contender == base) {
            return "1";
        }
        List<Double> ratios = rounds.stream()
                .map(round -> of(round, contender).perSecond() / of(round, base).perSecond())
                .toList();
        return text("%.2f (%.2f–%.2f)", quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
    }

    private static Stream<String> figures(List<Turn> turns) {
        List<Double> perSecond = turns.stream().map(Turn::perSecond).toList();
        List<Long> nanos = turns.stream().flatMap(turn -> turn.nanos().stream()).toList();
        return Stream.of(
                text("%.0f", quantile(perSecond, 0.5)),
                text("%.1f / %.1f ms", quantile(nanos, 0.5) / 1e6, quantile(nanos, 0.99) / 1e6),
                text(
                        "%.0f + %.0f µs",
                        each(turns, spent -> spent.client().toNanos() / 1e3),
                        each(turns, spent -> spent.database().toNanos() / 1e3)),
                text("%.2f", each(turns, Spent::writes)),
                text("%.0f B", each(turns, Spent::log)));
    }

    private static Stream<String> sent(Turn turn) {
        List<Turn> turns = List.of(turn);
        return Stream.of(
                text("%.1f", each(turns, Spent::statements)),
                text("%.1f", each(turns, Spent::roundTrips)),
                text("%.2f", each(turns, Spent::writes)),
                text("%.0f B", each(turns, Spent::log)));
    }

    /** Returns the average of a figure per piece of work. */
    private static double each(List<Turn> turns, ToDoubleFunction<Spent> figure) {
        return turns.stream().map(Turn::spent).mapToDouble(figure).sum()
                / turns.stream().mapToInt(Turn::done).sum();
    }

    private static double quantile(List<? extends Number> values, double share) {
        double[] sorted =
                values.stream().mapToDouble(Number::doubleValue).sorted().toArray();
        return sorted[(int) Math.round(share * (sorted.length - 1))];
    }

    private static String text(String format, Object... figures) {
        return String.format(Locale.ROOT, format, figures);
    }
}
