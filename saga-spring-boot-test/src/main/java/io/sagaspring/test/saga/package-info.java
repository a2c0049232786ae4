/**
 * Tests of sagas and durable runs: one thread, a clock that the test moves, nodes that die where the test requests it,
 * and assertions that read like sentences. A test uses the engine of production with its store in PostgreSQL, or with a
 * store in memory. Executions are executed only when the test requests it, or while a caller waits for one.
 *
 * <p>Start reading at {@link io.sagaspring.test.saga.SagaTest}.
 */
@NullMarked
package io.sagaspring.test.saga;

import org.jspecify.annotations.NullMarked;
