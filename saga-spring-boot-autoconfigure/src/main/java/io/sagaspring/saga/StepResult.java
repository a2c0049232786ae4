package io.sagaspring.saga;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The journaled outcome of a step that returned.
 *
 * @param value the result of the step's code
 * @param put the values that the code has put into the context
 */
record StepResult(@Nullable JsonNode value, Map<String, JsonNode> put) {

    private static final String VALUE = "saga:result";
    private static final String PUT = "saga:put";

    /**
     * Returns the journaled form: the result itself if no values were put, otherwise an object that contains both. A
     * result that looks like such an object is also wrapped in one, so that it is read back correctly.
     */
    static JsonNode journaled(JsonNode value, Map<String, JsonNode> put) {
        if (put.isEmpty() && !value.has(PUT)) {
            return value;
        }
        ObjectNode wrapped = JsonNodeFactory.instance.objectNode();
        wrapped.set(VALUE, value);
        wrapped.set(PUT, JsonNodeFactory.instance.objectNode().setAll(put));
        return wrapped;
    }

    static StepResult of(@Nullable JsonNode journaled) {
        JsonNode put = journaled == null ? null : journaled.get(PUT);
        if (journaled == null || put == null) {
            return new StepResult(journaled, Map.of());
        }
        Map<String, JsonNode> values = new LinkedHashMap<>();
        put.forEachEntry(values::put);
        return new StepResult(journaled.get(VALUE), values);
    }

    /**
     * Returns the values that the step stores. A value in the result takes precedence over a value that was put under
     * the same key.
     */
    Map<String, JsonNode> stored(PlannedStep<?> step) {
        Map<String, JsonNode> ofResult = step.stored(value);
        if (put.isEmpty()) {
            return ofResult;
        }
        Map<String, JsonNode> all = new LinkedHashMap<>(put);
        all.putAll(ofResult);
        return all;
    }
}
