package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;

/**
 * One delivery of an after-effect.
 *
 * @param workflow the workflow's name
 * @param step the step's key
 * @param requester the requester on whose behalf the step ran
 * @param key the key of the after-effect: the same in all its deliveries, and different from the key of any other
 *     after-effect
 * @param attempt the number of the delivery, beginning with 1
 * @since 0.1.0
 */
public record AfterEffectContext(String workflow, String step, Requester requester, String key, int attempt) {}
