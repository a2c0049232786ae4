package io.sagaspring.definition;

import java.util.List;
import java.util.Optional;

/**
 * A list of names as far as it could be read.
 *
 * @param names each once, in their order
 * @param whole whether nothing was left out; where something was, a name that is not in the list may yet be meant to be
 */
record NamesRead(List<Named> names, boolean whole) {

    static final NamesRead NOTHING = new NamesRead(List.of(), false);

    boolean lacks(String text) {
        return whole && names.stream().noneMatch(name -> name.text().equals(text));
    }

    /** Environment variables know no dashes: what differs in these only is the same name. */
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
