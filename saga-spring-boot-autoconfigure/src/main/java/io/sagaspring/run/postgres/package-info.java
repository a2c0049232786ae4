/**
 * Stores runs in PostgreSQL. A change by the node that executes a run is one statement, which is guarded by the token
 * in the run's row. The statement is executed alone, or in a batch that shares a commit. All statements use the
 * database clock. A change by that node is safe to repeat if its reply was lost. Only the auto-configuration uses this
 * package. Other code uses {@link io.sagaspring.run.RunStore}. Start reading at {@link
 * io.sagaspring.run.postgres.PostgresRunStore}, then {@code RunTable} for the statements and {@code GroupCommit} for
 * the batches.
 *
 * <p>The public type of this package is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.run.postgres;

import org.jspecify.annotations.NullMarked;
