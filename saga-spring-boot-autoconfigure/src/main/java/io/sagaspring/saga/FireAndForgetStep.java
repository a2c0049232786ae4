package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The input of the run that executes a fire-and-forget step.
 *
 * @param execution the id of the execution that started the step
 * @param step the step's name
 * @param input the execution's input
 * @param context the values that earlier steps had stored when this step was started
 * @param <I> the type of the execution's input
 */
record FireAndForgetStep<I>(RunId execution, String step, I input, Map<String, JsonNode> context) {}
