package io.sagaspring.saga;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The values that the steps of one execution have stored for later steps. */
final class StepValues {

    private final Map<String, JsonNode> stored = new LinkedHashMap<>();
    private final Map<String, String> owners = new HashMap<>();

    /** The labels that the steps have set, by name. */
    private final Map<String, String> labels = new LinkedHashMap<>();

    /**
     * Returns the values that a result stores. A record or a map that is merged stores its components or entries. Any
     * other result is stored as a whole.
     */
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

    /** Returns the first key whose value belongs to another step and would be overwritten, if there is such a key. */
    Optional<String> conflictingKey(PlannedStep<?> step, Map<String, JsonNode> added) {
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

    /** Adds values without the steps that stored them, for a fire-and-forget step, which only reads them. */
    void addAll(Map<String, JsonNode> known) {
        stored.putAll(known);
    }

    Set<String> keys() {
        return stored.keySet();
    }

    Map<String, String> labels() {
        return labels;
    }

    Map<String, JsonNode> all() {
        return stored;
    }

    Optional<JsonNode> find(String key) {
        return Optional.ofNullable(stored.get(key));
    }
}
