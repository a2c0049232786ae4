package io.sagaspring.definition;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Finds the name that a typo probably stands for.
 *
 * @since 0.1.0
 */
public final class Nearest {

    /** The length above which no name is guessed, because comparing a string of a million characters is slow. */
    private static final int LONGEST_GUESS = 40;

    private Nearest() {}

    /**
     * Finds the known name that is nearest to an unknown one.
     *
     * @param written the unknown name
     * @param known the known names
     * @return the nearest name, or empty if none is near
     */
    public static Optional<String> to(String written, Collection<String> known) {
        String relaxed = Key.relaxed(written);
        if (relaxed.isEmpty() || relaxed.length() > LONGEST_GUESS) {
            return Optional.empty();
        }
        return known.stream()
                .filter(each -> distance(relaxed, Key.relaxed(each)) <= 1 + relaxed.length() / 4)
                .min(Comparator.comparingInt(each -> distance(relaxed, Key.relaxed(each))));
    }

    /**
     * Returns a question that asks whether a name was meant.
     *
     * @param nearest the name, or empty if there is none
     * @return a sentence that begins with a blank, or an empty string
     */
    public static String question(Optional<String> nearest) {
        return nearest.map(each -> " Did you mean %s?".formatted(Printable.quoted(each)))
                .orElse("");
    }

    private static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            above[column] = column;
        }
        for (int row = 1; row <= from.length(); row++) {
            int[] current = new int[to.length() + 1];
            current[0] = row;
            for (int column = 1; column <= to.length(); column++) {
                int replaced = above[column - 1] + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
                current[column] = Math.min(replaced, 1 + Math.min(above[column], current[column - 1]));
            }
            above = current;
        }
        return above[to.length()];
    }
}
