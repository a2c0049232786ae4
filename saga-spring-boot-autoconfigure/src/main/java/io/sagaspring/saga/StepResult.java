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
 * @param output the values and labels that the code has stored beside the result
 */
record StepResult(@Nullable JsonNode value, StepOutput output) {

    private static final String VALUE = "saga:result";
    private static final String PUT = "saga:put";
    private static final String LABELS = "saga:labels";

    /**
     * Returns the journaled form: the result itself if nothing else is stored, otherwise an object that contains the
     * result and the output. A result that looks like such an object is also wrapped in one, so that it is read back
     * correctly.
     */
    static JsonNode journaled(JsonNode value, StepOutput output) {
        if (output.isEmpty() && !value.has(PUT)) {
            return value;
        }
        ObjectNode wrapped = JsonNodeFactory.instance.objectNode();
        wrapped.set(VALUE, value);
        wrapped.set(PUT, JsonNodeFactory.instance.objectNode().setAll(output.values()));
        if (!output.labels().isEmpty()) {
            ObjectNode labels = wrapped.putObject(LABELS);
            output.labels().forEach((name, text) -> labels.put(name, text));
        }
        return wrapped;
    }

    static StepResult of(@Nullable JsonNode journaled) {
        JsonNode put = journaled == null ? null : journaled.get(PUT);
        if (journaled == null || put == null) {
            return new StepResult(journaled, StepOutput.NOTHING);
        }
        StepOutput output = StepOutput.begun();
        put.forEachEntry(output.values()::put);
        JsonNode labels = journaled.get(LABELS);
        if (labels != null) {
            labels.forEachEntry((name, text) -> output.labels().put(name, text.asString()));
        }
        return new StepResult(journaled.get(VALUE), output);
    }

    /**
     * Returns the values that the step stores. A value in the result takes precedence over a value that was put under
     * the same key.
     */
    Map<String, JsonNode> stored(PlannedStep<?> step) {
        Map<String, JsonNode> ofResult = step.stored(value);
        if (output.values().isEmpty()) {
            return ofResult;
        }
        Map<String, JsonNode> all = new LinkedHashMap<>(output.values());
        all.putAll(ofResult);
        return all;
    }
}
