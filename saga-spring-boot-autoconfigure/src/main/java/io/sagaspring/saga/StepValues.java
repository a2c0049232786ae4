package io.sagaspring.saga;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What the steps of one execution have stored for those behind them. */
final class StepValues {

    private final Map<String, JsonNode> stored = new LinkedHashMap<>();
    private final Map<String, String> owners = new HashMap<>();

    /** What is stored of a result: a record or a map by its parts, if it is to be merged, and anything else as a whole. */
    static Map<String, JsonNode> stored(String key, boolean isMerged, @Nullable JsonNode result) {
        if (result == null || result.isNull()) {
            return Map.of();
        }
        if (!isMerged || !result.isObject()) {
            return Map.of(key, result);
        }
        Map<String, JsonNode> merged = new LinkedHashMap<>();
        result.forEachEntry(merged::put);
        return merged;
    }

    /** The key of which another step is the owner, if there is one: its value would be lost. */
    Optional<String> taken(PlannedStep<?> step, Map<String, JsonNode> added) {
        return added.keySet().stream()
                .filter(key -> !owners.getOrDefault(key, step.name()).equals(step.name()))
                .findFirst();
    }

    String owner(String key) {
        return owners.getOrDefault(key, "");
    }

    void add(PlannedStep<?> step, Map<String, JsonNode> added) {
        added.keySet().forEach(key -> owners.put(key, step.name()));
        stored.putAll(added);
    }

    /** To be read only: whose they are is not known. */
    void addAll(Map<String, JsonNode> known) {
        stored.putAll(known);
    }

    Set<String> keys() {
        return stored.keySet();
    }

    Map<String, JsonNode> all() {
        return stored;
    }

    Optional<JsonNode> find(String key) {
        return Optional.ofNullable(stored.get(key));
    }
}
