/**
 * Sagas: sequences of steps that complete or are compensated. They are declared once and executed as durable runs, and
 * have no tables or engine of their own. Start reading at {@link io.sagaspring.saga.Saga}, then
 * {@link io.sagaspring.saga.SagaDefinition}.
 *
 * <p>Of the public types, {@code SagaCode} is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.saga;

import org.jspecify.annotations.NullMarked;
