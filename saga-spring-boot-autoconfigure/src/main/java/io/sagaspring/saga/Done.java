package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A step that took effect, or may have.
 *
 * @param step which
 * @param result what it returned; of an asynchronous one, what its initiation returned
 * @param isKnown whether it is known to have taken effect
 */
record Done<I>(PlannedStep<I> step, @Nullable JsonNode result, boolean isKnown) {}
