package io.sagaspring.definition;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The entries of a map, found by key in any spelling. */
final class KeyedFields {

    private final Map<Key, Setting> found = new EnumMap<>(Key.class);

    private KeyedFields() {}

    static KeyedFields of(Setting.Fields fields, Key.Place place, String owner, Faults faults) {
        KeyedFields keyed = new KeyedFields();
        List<Key> known = Key.of(place);
        Set<Key> misspelt = EnumSet.noneOf(Key.class);
        fields.entries().forEach((written, value) -> {
            Optional<Key> key =
                    known.stream().filter(each -> each.isWrittenAs(written)).findFirst();
            if (key.isEmpty()) {
                Optional<String> nearest = nearest(written, known);
                nearest.ifPresent(meant -> misspelt.addAll(
                        known.stream().filter(each -> each.isWrittenAs(meant)).toList()));
                faults.add(
                        Rule.UNKNOWN_KEY,
                        value,
                        "%s has the unknown key %s. Its value would be ignored.%s The known keys are %s."
                                .formatted(owner, Printable.quoted(written), Nearest.question(nearest), listed(known)));
            } else if (keyed.found.containsKey(key.get())) {
                faults.add(
                        Rule.KEY_TWICE,
                        value,
                        "%s has the key '%s' twice: as %s, and in another spelling or as a synonym. Remove one of them."
                                .formatted(owner, key.get().text(), Printable.quoted(written)));
            } else {
                keyed.found.put(key.get(), value);
            }
        });
        known.stream()
                .filter(Key::required)
                .filter(key -> !keyed.found.containsKey(key) && !misspelt.contains(key))
                .forEach(key -> faults.add(
                        Rule.MISSING_KEY,
                        fields,
                        "%s lacks the required key '%s'. Add it.".formatted(owner, key.text())));
        return keyed;
    }

    @Nullable
    Setting get(Key key) {
        return found.get(key);
    }

    private static Optional<String> nearest(String written, List<Key> known) {
        return Nearest.to(
                written, known.stream().flatMap(key -> key.spellings().stream()).toList());
    }

    private static String listed(List<Key> keys) {
        return String.join(", ", keys.stream().map(Key::text).toList());
    }
}
