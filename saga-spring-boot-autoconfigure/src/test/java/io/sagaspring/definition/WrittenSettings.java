package io.sagaspring.definition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** Creates settings in the form in which a person would write them. */
final class WrittenSettings {

    private WrittenSettings() {}

    static Setting yaml(String text) {
        return of("saga.workflows", new Yaml().load(text));
    }

    static Setting of(String path, @Nullable Object written) {
        if (written instanceof Map<?, ?> map && !map.isEmpty()) {
            Map<String, Setting> entries = new LinkedHashMap<>();
            map.forEach((key, value) -> entries.put(String.valueOf(key), of(path + "." + key, value)));
            return new Setting.Fields(path, null, entries);
        }
        if (written instanceof List<?> list && !list.isEmpty()) {
            List<Setting> items = new ArrayList<>();
            list.forEach(item -> items.add(of("%s[%d]".formatted(path, items.size()), item)));
            return new Setting.Items(path, null, items);
        }
        if (written == null || written instanceof Map || written instanceof List) {
            return new Setting.Text(path, null, "", false);
        }
        return new Setting.Text(path, null, written.toString(), written instanceof Boolean);
    }
}
