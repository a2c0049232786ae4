package io.sagaspring.saga;

import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The values and labels that the code of a step stores beside its result. They are journaled together with the result, so a failed attempt
 * stores nothing.
 *
 * @param values the values for the context, by key
 * @param labels the labels of the execution, by name
 */
record StepOutput(Map<String, JsonNode> values, Map<String, String> labels) {

    /** The output of a step that stores nothing beside its result. */
    static final StepOutput NOTHING = new StepOutput(Map.of(), Map.of());

    /** Returns an output to which code can add. */
    static StepOutput begun() {
        return new StepOutput(new LinkedHashMap<>(), new LinkedHashMap<>());
    }

    boolean isEmpty() {
        return values.isEmpty() && labels.isEmpty();
    }
}
