package io.sagaspring.definition;

import java.util.List;
import java.util.Optional;

/**
 * The readable part of a list of names.
 *
 * @param names the names in the order in which they are written, without duplicates
 * @param whole true if every name could be read; otherwise the configuration may contain names that are missing here
 */
record NamesRead(List<Named> names, boolean whole) {

    static final NamesRead NOTHING = new NamesRead(List.of(), false);

    boolean lacks(String text) {
        return whole && names.stream().noneMatch(name -> name.text().equals(text));
    }

    /**
     * Finds a name by any spelling. Names that differ only in dashes, underscores or case count as the same name,
     * because an environment variable cannot show the difference.
     */
    Optional<Named> relaxed(String written) {
        String relaxed = Key.relaxed(written);
        return names.stream()
                .filter(name -> Key.relaxed(name.text()).equals(relaxed))
                .findFirst();
    }

    List<String> texts() {
        return names.stream().map(Named::text).toList();
    }

    String listed() {
        return names.isEmpty()
                ? "none"
                : names.stream().limit(30).map(Named::quoted).collect(java.util.stream.Collectors.joining(", "));
    }
}
