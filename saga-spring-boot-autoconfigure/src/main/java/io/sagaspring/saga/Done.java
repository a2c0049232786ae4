package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A step that took effect, or may have taken effect.
 *
 * @param step the step
 * @param result the result of the step's code, or null
 * @param isKnown true if the step is known to have taken effect
 */
record Done<I>(PlannedStep<I> step, @Nullable JsonNode result, boolean isKnown) {}
