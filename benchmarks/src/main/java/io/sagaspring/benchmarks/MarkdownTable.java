package io.sagaspring.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table of a page in Markdown. The cells are plain text, without backticks and without the addresses of links.
 *
 * @param head the names of the columns
 * @param rows the cells of each row. If the first cell of a row is empty on the page, it repeats the cell above
 * @param isGrouped true if the first column groups the rows
 */
record MarkdownTable(List<String> head, List<List<String>> rows, boolean isGrouped) {

    private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

    /** Reads a table from its lines. */
    static MarkdownTable of(String lines) {
        List<List<String>> all = lines.lines().map(MarkdownTable::cells).toList();
        List<List<String>> rows = new ArrayList<>();
        boolean grouped = false;
        for (List<String> cells : all.subList(2, all.size())) {
            if (cells.get(0).isEmpty()) {
                cells.set(0, rows.get(rows.size() - 1).get(0));
                grouped = true;
            }
            rows.add(cells);
        }
        return new MarkdownTable(all.get(0), rows, grouped);
    }

    String cell(List<String> row, String column) {
        int index = head.indexOf(column);
        if (index < 0) {
            throw new IllegalArgumentException("The table has no column '%s', but %s.".formatted(column, head));
        }
        return row.get(index);
    }

    private static List<String> cells(String line) {
        String plain = LINK.matcher(line).replaceAll("$1").replace("`", "");
        return Stream.of(plain.substring(1, plain.length() - 1).split("\\|", -1))
                .map(String::strip)
                .collect(Collectors.toCollection(ArrayList::new));
    }
}
