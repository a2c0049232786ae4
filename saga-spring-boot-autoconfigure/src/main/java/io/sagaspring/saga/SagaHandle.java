package io.sagaspring.saga;

import io.sagaspring.run.RunId;

/**
 * An execution that was started.
 *
 * @param id by which it is found
 * @param isNew false if it had been started with its key before
 * @since 0.1.0
 */
public record SagaHandle(RunId id, boolean isNew) {}
