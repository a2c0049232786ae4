package io.sagaspring.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.benchmarks.BarChart.Bar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlotsTests {

    private static final String REDRAW =
            "Redraw the plots: ./mvnw -q -DskipTests -Pbenchmarks -Dbenchmark.main=Plots -pl benchmarks -am verify";

    private static final int SMALL = 8_000;

    @Test
    void thePlotsAgreeWithTheTablesOfThePage() throws IOException {
        Map<String, String> expected = Plots.drawn(Files.readString(Plots.PAGE));

        Map<String, String> found = plots();
        assertThat(found.keySet())
                .as(REDRAW + ", and delete the files that the page does not show")
                .containsExactlyInAnyOrderElementsOf(expected.keySet());
        assertThat(expected.keySet().stream()
                        .filter(file ->
                                !Objects.requireNonNull(expected.get(file)).equals(found.get(file))))
                .as("Plots that differ from the page. " + REDRAW)
                .isEmpty();
    }

    /** An image that is not directly in front of a table would not be drawn. */
    @Test
    void everyPlotOfThePageIsInFrontOfATable() throws IOException {
        String page = Files.readString(Plots.PAGE);

        assertThat(Pattern.compile("]\\(plots/([^)]*)\\)")
                        .matcher(page)
                        .results()
                        .map(image -> image.group(1)))
                .isNotEmpty()
                .containsExactlyElementsOf(Plots.drawn(page).keySet());
    }

    @Test
    void everyPlotIsASmallFile() throws IOException {
        assertThat(plots().values()).allSatisfy(svg -> assertThat(svg.length()).isLessThan(SMALL));
    }

    @Test
    void theAlternativeTextIsTheTitle() {
        assertThat(Plots.drawn("""
                        ![Keys, × L](plots/keys.svg)

                        | × L | 1 caller |
                        | --- | --- |
                        | `execute(…)` | 0.80 (0.75–0.87) |
                        | DBOS | 0.70 |
                        """))
                .hasEntrySatisfying(
                        "keys.svg",
                        svg -> assertThat(svg)
                                .contains("<title id=\"t\">Keys, × L</title>", ">execute(…)</text>", ">0.70</text>"));
    }

    @Test
    void rowsAreComparedForEachColumn() {
        MarkdownTable table = table("| × L | 1 caller | 16 callers |", "| a | 1 | 2 |", "| DBOS, a queue | 3 | 4 |");

        assertThat(Plots.chart("", table, List.of("1 caller", "16 callers")).groups())
                .containsExactly(
                        Map.entry("1 caller", List.of(bar("a", "1", true), bar("DBOS, a queue", "3", false))),
                        Map.entry("16 callers", List.of(bar("a", "2", true), bar("DBOS, a queue", "4", false))));
        assertThat(Plots.chart("", table, List.of("16 callers")).groups()).containsOnlyKeys("");
    }

    @Test
    void theColumnsOfASingleRowAreCompared() {
        MarkdownTable table = table("| | first time | second time |", "| speed | 0.86 | 0.81 |");

        assertThat(Plots.chart("", table, List.of("first time", "second time")).groups())
                .containsExactly(
                        Map.entry("", List.of(bar("first time", "0.86", true), bar("second time", "0.81", true))));
    }

    @Test
    void rowsOfTheSameGroupAreTogether() {
        MarkdownTable table = table(
                "| application | variant | slower by | heap |",
                "| no JPA | without the starter | 0 ms | 1 MB |",
                "| | later | 7 ms | 2 MB |",
                "| JPA | later | 5 ms | 3 MB |");

        assertThat(Plots.chart("", table, List.of("slower by")).groups())
                .containsExactly(
                        Map.entry(
                                "no JPA",
                                List.of(bar("without the starter", "0 ms", false), bar("later", "7 ms", true))),
                        Map.entry("JPA", List.of(bar("later", "5 ms", true))));
    }

    private static MarkdownTable table(String head, String... rows) {
        return MarkdownTable.of("%s%n|---|%n%s".formatted(head, String.join("\n", rows)));
    }

    private static Bar bar(String label, String cell, boolean own) {
        return new Bar(label, Figure.of(cell), own);
    }

    private static Map<String, String> plots() throws IOException {
        Map<String, String> plots = new TreeMap<>();
        try (Stream<Path> files = Files.list(Plots.DIRECTORY)) {
            for (Path file : files.toList()) {
                plots.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return plots;
    }
}
