package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Setting;
import java.math.BigInteger;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A setting under construction. Properties arrive one by one, so the setting's shape is only known at the end. */
final class SettingNode {

    private final String path;
    private final Map<String, SettingNode> fields = new LinkedHashMap<>();
    private final SortedMap<BigInteger, SettingNode> items = new TreeMap<>();
    private Setting.@Nullable Text text;

    SettingNode(String path) {
        this.path = path;
    }

    String path() {
        return path;
    }

    SettingNode field(String key) {
        return fields.computeIfAbsent(key, any -> new SettingNode(path.isEmpty() ? key : path + "." + key));
    }

    /**
     * Returns the item with this index, which may be a number of any size. The list is checked for gaps only when it is
     * complete.
     */
    SettingNode item(BigInteger index) {
        return items.computeIfAbsent(index, any -> new SettingNode("%s[%s]".formatted(path, index)));
    }

    /**
     * Stores a value. A Boolean object comes from a file format that has booleans; the string {@code true} stays a
     * string.
     */
    void set(@Nullable Object value, @Nullable String place) {
        set(value, place, PropertyPath.DEEPEST);
    }

    private void set(@Nullable Object value, @Nullable String place, int depthLeft) {
        if (value instanceof Collection<?> list && !list.isEmpty() && depthLeft > 0) {
            BigInteger index = BigInteger.ZERO;
            for (Object item : list) {
                item(index).set(item, place, depthLeft - 1);
                index = index.add(BigInteger.ONE);
            }
        } else if (value instanceof Map<?, ?> map && !map.isEmpty() && depthLeft > 0) {
            map.forEach((key, entry) -> field(String.valueOf(key)).set(entry, place, depthLeft - 1));
        } else {
            text = new Setting.Text(path, place, textOf(value), value instanceof Boolean);
        }
    }

    private static String textOf(@Nullable Object value) {
        boolean saysNothing = value == null
                || (value instanceof Collection<?> list && list.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty());
        return saysNothing ? "" : String.valueOf(value);
    }

    Setting toSetting(List<Fault> faults) {
        if (Stream.of(text != null, !fields.isEmpty(), !items.isEmpty())
                        .filter(Boolean::booleanValue)
                        .count()
                > 1) {
            faults.add(SourceRule.TWO_SHAPES.broken(
                    path,
                    place(),
                    "This key is written in more than one shape (a single value, a list, or a map with keys below it). Keep the one"
                            + " that you mean."));
        }
        if (!fields.isEmpty()) {
            Map<String, Setting> entries = new LinkedHashMap<>();
            fields.forEach((key, node) -> entries.put(key, node.toSetting(faults)));
            return new Setting.Fields(path, place(), entries);
        }
        if (!items.isEmpty()) {
            if (!items.lastKey().equals(BigInteger.valueOf(items.size() - 1L))) {
                faults.add(SourceRule.LIST_GAP.broken(
                        path,
                        place(),
                        "The list has %d items but ends at [%s], so items are missing. Number them from [0] without a gap."
                                .formatted(items.size(), items.lastKey())));
            }
            return new Setting.Items(
                    path,
                    place(),
                    items.values().stream().map(node -> node.toSetting(faults)).toList());
        }
        return text != null ? text : new Setting.Fields(path, null, Map.of());
    }

    private @Nullable String place() {
        if (text != null) {
            return text.place();
        }
        return Stream.concat(fields.values().stream(), items.values().stream())
                .map(SettingNode::place)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
