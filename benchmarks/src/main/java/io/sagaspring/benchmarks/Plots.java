package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.BarChart.Bar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Draws the plots of the page of results. Each plot shows the table that follows its image on the page, so that each
 * figure exists only once.
 */
final class Plots {

    static final Path PAGE = Path.of("README.md");
    static final Path DIRECTORY = Path.of("plots");

    private static final Pattern IMAGES_AND_TABLE =
            Pattern.compile("((?:^!\\[.*\\n\\n)+)((?:^\\|.*\\n)+)", Pattern.MULTILINE);
    private static final Pattern IMAGE = Pattern.compile("!\\[(.*)]\\(plots/(.*\\.svg)\\)");

    /** The contenders that are not variants of this library, as their rows begin. */
    private static final Pattern OTHERS = Pattern.compile(
            "(L|F2?|G|H|DBOS|db-scheduler|Flowable|JdbcLockRegistry|JobRunr|ShedLock|Spring Modulith|without the starter)(,.*)?");

    /** The columns of those plots that do not show all columns of their table. */
    private static final Map<String, List<String>> COLUMNS = Map.of(
            "start-up.svg", List.of("slower by"),
            "claims.svg", List.of("× F2"),
            "claims-contended.svg", List.of("× F2"),
            "runs.svg", List.of("1 caller", "16 callers", "128 callers"),
            "runs-slow-flush.svg", List.of("1, flush + 1 ms", "16, flush + 1 ms", "128, flush + 1 ms"),
            "queues.svg", List.of("runs per second"));

    private Plots() {}

    public static void main(String[] args) throws IOException {
        for (Map.Entry<String, String> plot : drawn(Files.readString(PAGE)).entrySet()) {
            Files.writeString(DIRECTORY.resolve(plot.getKey()), plot.getValue());
        }
    }

    /** Returns the plots of a page by their file names. */
    static Map<String, String> drawn(String page) {
        Map<String, String> plots = new LinkedHashMap<>();
        IMAGES_AND_TABLE.matcher(page).results().forEach(found -> {
            MarkdownTable table = MarkdownTable.of(found.group(2));
            List<String> all = table.head().subList(1, table.head().size());
            IMAGE.matcher(found.group(1)).results().forEach(image -> {
                List<String> columns = COLUMNS.getOrDefault(image.group(2), all);
                plots.put(image.group(2), chart(image.group(1), table, columns).svg());
            });
        });
        return plots;
    }

    /** Compares the rows for each column. If there is only one row, its columns are compared. */
    static BarChart chart(String title, MarkdownTable table, List<String> columns) {
        if (table.isGrouped() && columns.size() > 1) {
            throw new IllegalArgumentException(
                    "The plot '%s' would show several columns of a table with groups. Choose one column in COLUMNS."
                            .formatted(title));
        }
        boolean oneRow = table.rows().size() == 1;
        Map<String, List<Bar>> groups = new LinkedHashMap<>();
        for (String column : columns) {
            for (List<String> row : table.rows()) {
                String heading = table.isGrouped() ? row.get(0) : oneRow || columns.size() == 1 ? "" : column;
                String name = row.get(table.isGrouped() ? 1 : 0);
                groups.computeIfAbsent(heading, any -> new ArrayList<>())
                        .add(new Bar(
                                oneRow ? column : name,
                                Figure.of(table.cell(row, column)),
                                !OTHERS.matcher(name).matches()));
            }
        }
        return new BarChart(title, groups);
    }
}
