/**
 * Tests of sagas: one thread, a clock that is set, nodes that die where a test says, and what became of it as sentences. A
 * test goes through the engine of production and through one of its stores; only who drives it, and when, is the test's.
 *
 * <p>Start reading at {@link io.sagaspring.test.saga.SagaTest}.
 */
@NullMarked
package io.sagaspring.test.saga;

import org.jspecify.annotations.NullMarked;
