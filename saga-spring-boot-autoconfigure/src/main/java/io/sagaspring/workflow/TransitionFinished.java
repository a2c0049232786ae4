package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import java.time.Duration;

/**
 * An event that is published when a step has an outcome. A call that runs nothing because of its effect key publishes
 * no event. The event is published outside the step's transaction. An exception of a listener has no effect on the
 * step.
 *
 * @param workflow the workflow's name
 * @param id the entity's id
 * @param step the step's key
 * @param requester the requester on whose behalf the step ran
 * @param outcome the outcome
 * @param took the time from the call to the outcome
 * @since 0.1.0
 */
public record TransitionFinished(
        String workflow, Object id, String step, Requester requester, TransitionOutcome outcome, Duration took) {}
