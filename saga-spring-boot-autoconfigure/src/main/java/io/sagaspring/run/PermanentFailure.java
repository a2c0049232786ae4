package io.sagaspring.run;

/**
 * Marks an exception after which no retry policy attempts a step again, even if the marked exception is only the cause
 * of another exception.
 *
 * @since 0.1.0
 */
public interface PermanentFailure {}
