package io.sagaspring.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A chart of horizontal bars. Quartiles are whiskers. If the title says that the figures are ratios, a line marks 1.
 *
 * @param title the title, with "×" if the figures are ratios
 * @param groups the bars of each group by the heading of the group, which may be empty
 */
record BarChart(String title, Map<String, List<Bar>> groups) {

    private static final int WIDTH = 720;
    private static final int MARGIN = 16;
    private static final int TOP = 40;
    private static final int HEADING = 22;
    private static final int ROW = 18;
    private static final int THICKNESS = 12;
    private static final int GAP = 6;
    private static final int BOTTOM = 18;

    /** The space for the value behind the longest bar. */
    private static final int VALUE = 72;

    /** The width of a character, so that no label needs more space with the usual fonts. */
    private static final double CHARACTER = 7.2;

    /** One bar. The bars of this library have a different colour than all others. */
    record Bar(String label, Figure figure, boolean isOwn) {}

    /** The colours for light or dark displays. The background hides that of the page, which the chart cannot know. */
    record Theme(String background, String text, String own, String other) {

        static final Theme LIGHT = new Theme("#ffffff", "#1f2328", "#218bff", "#8c959f");
        static final Theme DARK = new Theme("#0d1117", "#e6edf3", "#1f6feb", "#6e7681");

        private String css() {
            return format(
                    ".g{fill:%1$s}.v{stroke:%1$s}text{fill:%2$s}path{stroke:%2$s}.own{fill:%3$s}.other{fill:%4$s}",
                    background, text, own, other);
        }
    }

    String svg() {
        StringBuilder drawn = new StringBuilder();
        int y = TOP;
        for (Map.Entry<String, List<Bar>> group : groups.entrySet()) {
            if (!group.getKey().isEmpty()) {
                drawn.append(text("b", MARGIN, y + 14, group.getKey())).append('\n');
                y += HEADING;
            }
            for (Bar bar : group.getValue()) {
                drawn.append(drawn(bar, y));
                y += ROW;
            }
            y += GAP;
        }
        if (!isOfRatios()) {
            return head(y) + drawn + "</svg>\n";
        }
        String one = format("<path class=\"one\" d=\"M%d %dV%d\"/>", x(1), TOP - 4, y);
        return head(y + BOTTOM) + one + text("m", x(1), y + 12, "1") + "\n" + drawn + "</svg>\n";
    }

    private String head(int height) {
        return format(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" role="img" aria-labelledby="t d">
                <title id="t">%3$s</title>
                <desc id="d">%4$s</desc>
                <style>
                text{font:12px system-ui,sans-serif}.b{font-weight:600}.l{text-anchor:end}.m{text-anchor:middle}
                .v{paint-order:stroke;stroke-width:5;stroke-linejoin:round}path{fill:none}.one{stroke-dasharray:3 3}
                %5$s
                @media(prefers-color-scheme:dark){%6$s}
                </style>
                <rect class="g" width="%1$d" height="%2$d" rx="6"/>
                <text class="b" x="%7$d" y="24">%3$s</text>
                """,
                WIDTH, height, escaped(title), escaped(description()), Theme.LIGHT.css(), Theme.DARK.css(), MARGIN);
    }

    private String drawn(Bar bar, int y) {
        Figure figure = bar.figure();
        String shape = format(
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                bar.isOwn() ? "own" : "other", left(), y + 3, x(figure.value()) - left(), THICKNESS);
        String whiskers = figure.low() < figure.high()
                ? format("<path d=\"M%d %dv6m0-3H%dm0-3v6\"/>", x(figure.low()), y + 6, x(figure.high()))
                : "";
        String value = text("v", x(figure.high()) + 6, y + 13, figure.text());
        return text("l", left() - 8, y + 13, bar.label()) + shape + whiskers + value + "\n";
    }

    private static String text(String style, int x, int y, String text) {
        return format("<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>", style, x, y, escaped(text));
    }

    /** Describes the chart for people who do not see it. */
    private String description() {
        StringJoiner description = new StringJoiner(". ", "", ".");
        groups.forEach((heading, bars) -> description.add(bars.stream()
                .map(bar -> bar.label() + " " + bar.figure().text())
                .collect(Collectors.joining("; ", heading.isEmpty() ? "" : heading + ": ", ""))));
        return description.toString();
    }

    private boolean isOfRatios() {
        return title.contains("×");
    }

    private int left() {
        return (int) (1.5 * MARGIN + CHARACTER * longest(bar -> bar.label().length()));
    }

    private int x(double value) {
        double end = Math.max(longest(bar -> bar.figure().high()), isOfRatios() ? 1 : 0);
        return left() + (int) Math.round(value / end * (WIDTH - VALUE - left()));
    }

    private double longest(ToDoubleFunction<Bar> length) {
        return groups.values().stream()
                .flatMap(List::stream)
                .mapToDouble(length)
                .max()
                .orElseThrow();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
