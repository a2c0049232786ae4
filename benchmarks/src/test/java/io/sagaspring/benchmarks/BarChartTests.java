package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.BarChart.Bar;
import io.sagaspring.benchmarks.BarChart.Theme;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class BarChartTests {

    private static final Pattern BAR =
            Pattern.compile("<rect class=\"(own|other)\" x=\"(\\d+)\" y=\"\\d+\" width=\"(\\d+)\"");
    private static final Pattern WHISKERS = Pattern.compile("<path d=\"M(\\d+) \\d+v6m0-3H(\\d+)m0-3v6\"/>");
    private static final Pattern LINE = Pattern.compile("<path class=\"one\" d=\"M(\\d+) ");

    @Test
    void theLengthOfABarIsProportionalToItsFigure() {
        String svg = chart("Times", bar("a", "100 ms"), bar("b", "50 ms"), bar("c", "0 ms"));

        List<Integer> widths = numbers(BAR, svg, 3);
        assertThat(widths).hasSize(3);
        assertThat(widths.get(0)).isGreaterThan(400).isLessThan(720);
        assertThat(widths.get(1) * 2).isBetween(widths.get(0) - 1, widths.get(0) + 1);
        assertThat(widths.get(2)).isZero();
    }

    @Test
    void whiskersReachFromOneQuartileToTheOther() {
        String svg = chart("Times", bar("a", "0.50 (0.25–1.00)"), bar("b", "1"));

        int left = numbers(BAR, svg, 2).get(0);
        int one = numbers(BAR, svg, 3).get(1);
        assertThat(numbers(WHISKERS, svg, 1)).containsExactly(left + Math.round(one / 4f));
        assertThat(numbers(WHISKERS, svg, 2)).containsExactly(left + one);
    }

    @Test
    void onlyAChartOfRatiosHasALineAtOne() {
        String ratios = chart("Runs, × F", bar("a", "2.00"), bar("b", "1"));

        assertThat(numbers(LINE, ratios, 1))
                .containsExactly(
                        numbers(BAR, ratios, 2).get(1) + numbers(BAR, ratios, 3).get(1));
        assertThat(chart("Runs per second", bar("a", "2"), bar("b", "1"))).doesNotContain("<path class=\"one\"");
    }

    @Test
    void theLineAtOneIsInTheChartIfAllBarsAreShorter() {
        assertThat(numbers(LINE, chart("Runs, × F", bar("a", "0.10")), 1))
                .singleElement()
                .satisfies(line -> assertThat(line).isLessThan(720));
    }

    @Test
    void theBarsOfThisLibraryHaveADifferentColour() {
        assertThat(BAR.matcher(chart("Runs", bar("a", "2"), new Bar("DBOS", Figure.of("1"), false)))
                        .results()
                        .map(found -> found.group(1)))
                .containsExactly("own", "other");
    }

    @Test
    void textsAreEscaped() throws Exception {
        Document parsed = parsed(chart("Step<T> & `x` …", bar("runs.start(…) < & >", "1 ms")));

        assertThat(parsed.getElementsByTagName("title").item(0).getTextContent())
                .isEqualTo("Step<T> & `x` …");
        assertThat(parsed.getElementsByTagName("text").item(1).getTextContent()).isEqualTo("runs.start(…) < & >");
    }

    @Test
    void theDescriptionHasAllFigures() throws Exception {
        String svg = new BarChart(
                        "Runs, × F", Map.of("1 caller", List.of(bar("L", "0.78 (0.68–0.82)"), bar("G", "0.61"))))
                .svg();

        assertThat(parsed(svg).getElementsByTagName("desc").item(0).getTextContent())
                .isEqualTo("1 caller: L 0.78; G 0.61.");
    }

    @Test
    void theDefaultLocaleChangesNothing() {
        Locale before = Locale.getDefault();
        String expected = chart("Times", bar("a", "1 ms"));
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            assertThat(chart("Times", bar("a", "1 ms"))).isEqualTo(expected);
        } finally {
            Locale.setDefault(before);
        }
    }

    /** The limits are those of WCAG: 4.5 for text and 3 for other marks. Whiskers are drawn on bars. */
    @Test
    void coloursHaveEnoughContrast() {
        assertThat(List.of(Theme.LIGHT, Theme.DARK)).allSatisfy(theme -> {
            assertThat(contrast(theme.text(), theme.background())).isGreaterThan(4.5);
            assertThat(List.of(theme.own(), theme.other())).allSatisfy(bar -> {
                assertThat(contrast(bar, theme.background())).isGreaterThan(3);
                assertThat(contrast(bar, theme.text())).isGreaterThan(3);
            });
        });
    }

    private static Bar bar(String label, String cell) {
        return new Bar(label, Figure.of(cell), true);
    }

    private static String chart(String title, Bar... bars) {
        return new BarChart(title, Map.of("", List.of(bars))).svg();
    }

    private static List<Integer> numbers(Pattern pattern, String svg, int group) {
        return pattern.matcher(svg)
                .results()
                .map(found -> Integer.valueOf(found.group(group)))
                .toList();
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    private static double contrast(String one, String other) {
        double first = luminance(one) + 0.05;
        double second = luminance(other) + 0.05;
        return Math.max(first, second) / Math.min(first, second);
    }

    private static double luminance(String colour) {
        int rgb = Integer.parseInt(colour.substring(1), 16);
        return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb);
    }

    private static double linear(int channel) {
        double share = (channel & 0xff) / 255.0;
        return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    }
}
