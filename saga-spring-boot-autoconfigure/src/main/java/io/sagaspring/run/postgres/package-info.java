/**
 * Stores runs in PostgreSQL. Every change of a run is one statement, which is fenced by the token in the run's row and
 * uses the database clock. It is executed alone, or in a batch that shares a commit. A change whose answer was lost can
 * be repeated without harm. Only the auto-configuration uses this package. Other code uses {@link
 * io.sagaspring.run.RunStore}. Start reading at {@link io.sagaspring.run.postgres.PostgresRunStore}, then {@code
 * RunTable} for the statements and {@code GroupCommit} for the batches.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.run.postgres;

import org.jspecify.annotations.NullMarked;
