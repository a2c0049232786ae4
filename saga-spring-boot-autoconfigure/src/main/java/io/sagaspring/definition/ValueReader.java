package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads names, lists and maps by requester, and reports values of the wrong shape. */
final class ValueReader {

    private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,10}");

    /** Reads one value. If the value has a fault, records the fault and returns null. */
    interface Reading<T> {

        @Nullable
        T of(Setting setting);
    }

    private final Faults faults;

    ValueReader(Faults faults) {
        this.faults = faults;
    }

    /**
     * Returns the name, or null if the setting is missing. If the setting is not a name, records a fault and returns
     * null.
     */
    @Nullable
    Named name(@Nullable Setting setting) {
        if (setting == null) {
            return null;
        }
        if (!(setting instanceof Setting.Text text)) {
            faults.add(
                    Rule.SHAPE,
                    setting,
                    "A single name is expected, but the value is %s. Write the name alone."
                            .formatted(shapeOf(setting)));
            return null;
        }
        if (text.literal()) {
            faults.add(
                    Rule.BOOLEAN,
                    setting,
                    "A name is expected, but the value is the boolean %s: YAML reads a bare ON, OFF, YES or NO as true or"
                                    .formatted(Printable.quoted(text.value()))
                            + " false. Quote ON, OFF, YES, NO, TRUE and FALSE.");
            return null;
        }
        if (text.value().isBlank()) {
            faults.add(Rule.EMPTY, setting, "A name is expected, but the value is empty. Write the name.");
            return null;
        }
        return new Named(text.value().strip(), setting);
    }

    @Nullable
    Integer wholeNumber(@Nullable Setting setting) {
        if (setting == null) {
            return null;
        }
        if (setting instanceof Setting.Text text
                && WHOLE_NUMBER.matcher(text.value().strip()).matches()
                && Long.parseLong(text.value().strip()) <= Integer.MAX_VALUE) {
            return Integer.valueOf(text.value().strip());
        }
        faults.add(
                Rule.STEP_ID,
                setting,
                "A step's id must be a whole number from 0 to 2147483647, but it is %s. Write digits only."
                        .formatted(shapeOf(setting)));
        return null;
    }

    NamesRead names(@Nullable Setting setting) {
        if (setting == null) {
            return NamesRead.NOTHING;
        }
        List<Setting> items = itemsOf(setting);
        if (items == null) {
            return NamesRead.NOTHING;
        }
        if (items.isEmpty()) {
            faults.add(Rule.EMPTY, setting, "A list of names is expected, but it is empty. Write at least one name.");
            return NamesRead.NOTHING;
        }
        boolean whole = true;
        Set<String> texts = new LinkedHashSet<>();
        List<Named> names = new ArrayList<>();
        for (Setting item : items) {
            Named name = name(item);
            if (name == null) {
                whole = false;
            } else if (texts.add(name.text())) {
                names.add(name);
            } else {
                faults.add(
                        Rule.DUPLICATE,
                        item,
                        "The list contains %s twice. Remove one, or correct it if you meant another name."
                                .formatted(name.quoted()));
            }
        }
        return new NamesRead(names, whole);
    }

    @Nullable
    ClaimRead claim(Setting setting) {
        List<Setting> items = setting instanceof Setting.Fields ? List.of() : itemsOf(setting);
        if (items == null) {
            return null;
        }
        if (items.size() != 2) {
            faults.add(
                    Rule.CLAIM_PAIR,
                    setting,
                    "A claim must be a list of exactly two states, the claim state and the state to revert to, but it is"
                            + " %s. Write both, such as [CLOSING, APPROVED]. For a requester that does not claim, write no entry."
                                    .formatted(shapeOf(setting)));
            return null;
        }
        Named into = name(items.get(0));
        Named revertTo = name(items.get(1));
        return into == null || revertTo == null ? null : new ClaimRead(into, revertTo);
    }

    <T> ByRequester<T> byRequester(Key key, KeyedFields step, NamesRead requesters, Reading<T> reading) {
        Setting setting = step.get(key);
        if (setting == null) {
            return key.required() ? ByRequester.unreadable() : ByRequester.absent();
        }
        if (isEmpty(setting)) {
            faults.add(
                    Rule.EMPTY,
                    setting,
                    "'%s' has no entries, so it would apply to no requester. Remove the key, or add an entry for a"
                                    .formatted(key.text())
                            + " requester or for 'any'.");
            return ByRequester.unreadable();
        }
        if (!(setting instanceof Setting.Fields fields)) {
            String example = key == Key.CLAIM_STATE ? "[CLOSING, APPROVED]" : "…";
            faults.add(
                    Rule.BY_REQUESTER,
                    setting,
                    "'%s' must be a map by requester, but it is %s. For all requesters, write %s: { any: %s }."
                            .formatted(key.text(), shapeOf(setting), key.text(), example));
            return ByRequester.unreadable();
        }
        Map<String, T> entries = new LinkedHashMap<>();
        Map<String, Setting> written = new LinkedHashMap<>();
        boolean whole = true;
        for (Map.Entry<String, Setting> entry : fields.entries().entrySet()) {
            String requester = requester(entry.getKey(), entry.getValue(), requesters);
            if (requester == null) {
                whole = false;
                continue;
            }
            if (written.putIfAbsent(requester, entry.getValue()) != null) {
                faults.add(
                        Rule.KEY_TWICE,
                        entry.getValue(),
                        "Requester %s has two entries in different spellings. Remove one of them."
                                .formatted(Printable.quoted(requester)));
                continue;
            }
            T read = reading.of(entry.getValue());
            if (read == null) {
                whole = false;
            } else {
                entries.put(requester, read);
            }
        }
        return new ByRequester<>(entries, written, whole);
    }

    private @Nullable String requester(String written, Setting at, NamesRead requesters) {
        if (Key.relaxed(written).equals(Requester.ANY)) {
            return Requester.ANY;
        }
        Named known = requesters.relaxed(written).orElse(null);
        if (known != null) {
            return known.text();
        }
        if (requesters.whole()) {
            faults.add(
                    Rule.UNKNOWN_REQUESTER,
                    at,
                    "Requester %s is not in 'requesters', which lists %s, so no requester would use this entry.%s Correct the name, or list it."
                            .formatted(
                                    Printable.quoted(written),
                                    requesters.listed(),
                                    Nearest.question(Nearest.to(written, requesters.texts()))));
        }
        return null;
    }

    /**
     * Returns the items of a list, or of comma-separated text, as is usual in Spring Boot. If the setting is a map,
     * records a fault and returns null.
     */
    private @Nullable List<Setting> itemsOf(Setting setting) {
        if (setting instanceof Setting.Items list) {
            return list.items();
        }
        if (setting instanceof Setting.Text text) {
            return text.value().isBlank()
                    ? List.of()
                    : Stream.of(text.value().split(",", -1))
                            .<Setting>map(part -> new Setting.Text(text.path(), text.place(), part, text.literal()))
                            .toList();
        }
        faults.add(
                Rule.SHAPE,
                setting,
                "A list of names is expected, but the value is %s. Write a list, such as [A, B]."
                        .formatted(shapeOf(setting)));
        return null;
    }

    static boolean isEmpty(Setting setting) {
        if (setting instanceof Setting.Text text) {
            return text.value().isBlank();
        }
        return setting instanceof Setting.Items list
                ? list.items().isEmpty()
                : ((Setting.Fields) setting).entries().isEmpty();
    }

    static String shapeOf(Setting setting) {
        if (isEmpty(setting)) {
            return "empty";
        }
        if (setting instanceof Setting.Text text) {
            return Printable.quoted(text.value());
        }
        if (setting instanceof Setting.Items list) {
            return "a list of " + list.items().size();
        }
        return "a map with the keys "
                + ((Setting.Fields) setting)
                        .entries().keySet().stream()
                                .limit(5)
                                .map(Printable::quoted)
                                .collect(java.util.stream.Collectors.joining(", "));
    }
}
