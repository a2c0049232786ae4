package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The rules for labels. A label has a name and a value, by which runs are found.
 *
 * @since 0.1.0
 */
public final class Labels {

    /**
     * The maximum number of labels with which a run may be started. The run's code may set labels with as many
     * different names.
     */
    public static final int MOST = 20;

    /**
     * The maximum number of characters of a value. A longer value might not fit into the index of the labels, because
     * an entry of a B-tree index must not be larger than a third of a page.
     */
    public static final int LONGEST_VALUE = 500;

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,99}");
    private static final String STEP = "label:";

    private Labels() {}

    /**
     * Requires that a name is allowed.
     *
     * @param name the name of a label
     * @throws InvalidNameException if the name is not allowed
     */
    public static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new InvalidNameException(
                    "A label cannot have the name '%s'. Use a letter from A to Z or a to z, followed by at most 99 such letters, digits, dots, hyphens or underscores."
                            .formatted(LogText.of(name)));
        }
    }

    /**
     * Requires that a label is allowed.
     *
     * @param name the name of the label
     * @param value the value of the label
     * @throws InvalidNameException if the name or the value is not allowed
     */
    public static void require(String name, String value) {
        requireName(name);
        if (value.isBlank()) {
            throw new InvalidNameException(
                    "The label '%s' has a blank value. Give it a value, or leave the label out.".formatted(name));
        }
        int length = value.codePointCount(0, value.length());
        if (length > LONGEST_VALUE) {
            throw new InvalidNameException(
                    "The label '%s' has a value of %s characters, but at most %s are allowed. Store long texts in the input of the run."
                            .formatted(name, length, LONGEST_VALUE));
        }
        if (value.chars().anyMatch(Character::isISOControl) || !TextRules.isStorable(value)) {
            throw new InvalidNameException(
                    "The value '%s' of the label '%s' contains a control character or an unpaired surrogate. Remove that character."
                            .formatted(LogText.of(value), name));
        }
    }

    /**
     * Requires that a run does not have too many labels.
     *
     * @param names the names of the labels
     * @throws InvalidNameException if there are too many
     */
    static void requireFew(Collection<String> names) {
        if (names.size() > MOST) {
            throw new InvalidNameException(
                    "A run has the labels %s, but at most %s are allowed. Label only what you look for, and store the rest in the input of the run."
                            .formatted(names, MOST));
        }
    }

    /**
     * Adds a label to others. It replaces an earlier label of that name.
     *
     * @param labels the other labels
     * @param name the name of the label
     * @param value the value of the label
     * @return all labels, in the order in which they were added
     * @throws InvalidNameException if the name or the value is not allowed, or there are too many labels
     */
    public static Map<String, String> with(Map<String, String> labels, String name, String value) {
        require(name, value);
        Map<String, String> more = new LinkedHashMap<>(labels);
        more.put(name, value);
        requireFew(more.keySet());
        return Collections.unmodifiableMap(more);
    }

    /** Returns the name under which a label is journaled. */
    static String stepOf(String name) {
        return STEP + name;
    }

    /**
     * Returns true if entries of a journal set labels.
     *
     * @param entries the entries
     * @return true if there is a label among them
     */
    public static boolean areSetBy(List<JournalEntry> entries) {
        return entries.stream().anyMatch(each -> each.call() == JournalEntry.Call.LABEL);
    }

    /**
     * Returns the labels that entries of a journal set.
     *
     * @param entries the entries, in order
     * @return the value of each label; if it is set more than once, the last value
     */
    public static Map<String, String> setBy(List<JournalEntry> entries) {
        SortedMap<String, String> labels = new TreeMap<>();
        for (JournalEntry entry : entries) {
            String value = entry.detail();
            if (entry.call() == JournalEntry.Call.LABEL && value != null) {
                labels.put(entry.step().substring(STEP.length()), value);
            }
        }
        return labels;
    }
}
