package io.sagaspring.autoconfigure.source;

import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Key;
import io.sagaspring.definition.Setting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Merges two sources. For single values, Spring Boot's precedence rules apply; a list must come from one source. */
record SourcePrecedence(List<Fault> faults) {

    Setting over(Setting higher, Setting lower) {
        if (higher instanceof Setting.Fields upper && lower instanceof Setting.Fields under) {
            return over(upper, under, true);
        }
        return isEmpty(lower) ? higher : isEmpty(higher) ? lower : twoShapes(higher, lower);
    }

    private Setting over(Setting.Fields higher, Setting.Fields lower, boolean areWorkflows) {
        Map<String, Setting> entries = new LinkedHashMap<>(higher.entries());
        lower.entries().forEach((written, under) -> {
            String key = higher.entries().keySet().stream()
                    .filter(each -> Key.relaxed(each).equals(Key.relaxed(written)))
                    .findFirst()
                    .orElse(written);
            Setting upper = higher.entries().get(key);
            entries.put(key, upper == null ? under : over(upper, under, !areWorkflows && isList(written)));
        });
        return new Setting.Fields(higher.path(), higher.place() == null ? lower.place() : higher.place(), entries);
    }

    private Setting over(Setting higher, Setting lower, boolean isList) {
        if (isList || higher instanceof Setting.Items || lower instanceof Setting.Items) {
            faults.add(SourceRule.ONE_SOURCE.broken(
                    higher.path(),
                    higher.place(),
                    "The list is written in two sources, %s and %s, and lists are not merged. The first list would replace the second one."
                                    .formatted(Places.of(higher), Places.of(lower))
                            + " Keep one of them."));
            return higher;
        }
        if (higher instanceof Setting.Fields upper && lower instanceof Setting.Fields under) {
            return over(upper, under, false);
        }
        return higher instanceof Setting.Text && lower instanceof Setting.Text ? higher : twoShapes(higher, lower);
    }

    private Setting twoShapes(Setting higher, Setting lower) {
        faults.add(SourceRule.TWO_SHAPES.broken(
                higher.path(),
                higher.place(),
                "%s and %s write this key in two shapes, one of them with keys below it. Keep the one that you mean."
                        .formatted(Places.of(higher), Places.of(lower))));
        return higher;
    }

    private static boolean isEmpty(Setting setting) {
        return setting instanceof Setting.Text text
                ? text.value().isBlank()
                : setting instanceof Setting.Fields fields && fields.entries().isEmpty();
    }

    private static boolean isList(String written) {
        return Key.of(Key.Place.WORKFLOW).stream().anyMatch(key -> key.isList() && key.isWrittenAs(written));
    }
}
