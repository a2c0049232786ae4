package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;

/**
 * What an after-effect may know of its delivery.
 *
 * @param workflow the workflow's name
 * @param step the step's key
 * @param requester on whose behalf the step ran
 * @param key the same over all deliveries of this after-effect, and of no other
 * @param attempt 1 for the first delivery
 * @since 0.1.0
 */
public record AfterEffectContext(String workflow, String step, Requester requester, String key, int attempt) {}
