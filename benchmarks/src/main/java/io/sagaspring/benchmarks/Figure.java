package io.sagaspring.benchmarks;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A figure in a cell of a table, such as {@code 42 ms} or {@code 0.82 (0.80–0.85)}.
 *
 * @param value the figure itself
 * @param low the lower quartile, or the value if there are no quartiles
 * @param high the upper quartile, or the value if there are no quartiles
 * @param text the value and its unit, as they are written in the cell
 */
record Figure(double value, double low, double high, String text) {

    private static final Pattern CELL = Pattern.compile("(([\\d.]+)(?: [a-zA-Zµ]+)?)(?: \\(([\\d.]+)–([\\d.]+)\\))?");

    static Figure of(String cell) {
        Matcher found = CELL.matcher(cell);
        if (!found.matches()) {
            throw new IllegalArgumentException("The cell '%s' has no figure that a plot can show.".formatted(cell));
        }
        double value = Double.parseDouble(found.group(2));
        boolean spread = found.group(3) != null;
        return new Figure(
                value,
                spread ? Double.parseDouble(found.group(3)) : value,
                spread ? Double.parseDouble(found.group(4)) : value,
                found.group(1));
    }
}
