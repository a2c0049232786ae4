package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * A step that is fired and forgotten, as the run that executes it is given it.
 *
 * @param execution the execution that has fired it
 * @param step the step's name
 * @param input the execution's input
 * @param context what steps had stored when it was fired
 * @param <I> the type of the execution's input
 */
record FireAndForgetStep<I>(RunId execution, String step, I input, Map<String, JsonNode> context) {}
