package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import java.time.Duration;

/**
 * Published when a step has come to an outcome. It is published outside the step's transaction, and a listener that
 * throws changes nothing.
 *
 * @param workflow the workflow's name
 * @param id the entity's id
 * @param step the step's key
 * @param requester on whose behalf it ran
 * @param outcome what became of it
 * @param took how long it took
 * @since 0.1.0
 */
public record TransitionFinished(
        String workflow, Object id, String step, Requester requester, TransitionOutcome outcome, Duration took) {}
