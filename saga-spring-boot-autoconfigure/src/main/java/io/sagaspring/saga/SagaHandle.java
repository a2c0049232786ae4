package io.sagaspring.saga;

import io.sagaspring.run.RunId;

/**
 * A started execution.
 *
 * @param id the execution's id
 * @param isNew false if the execution had already been started with the same idempotency key
 * @since 0.1.0
 */
public record SagaHandle(RunId id, boolean isNew) {}
