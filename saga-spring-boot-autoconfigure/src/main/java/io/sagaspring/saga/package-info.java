/**
 * Flows of steps that finish or are undone, declared once and driven as runs: no table and no engine of their own. Start
 * reading at {@link io.sagaspring.saga.Saga}, then {@link io.sagaspring.saga.SagaDefinition}.
 *
 * <p>Of its public types, {@code SagaCode} is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.saga;

import org.jspecify.annotations.NullMarked;
