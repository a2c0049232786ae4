/**
 * Runs on PostgreSQL. Every change of a run is one statement that is fenced by the token in the run's row and uses the
 * database's clock, alone or in a batch that shares a commit; a change whose answer was lost is made again and does no harm. Only
 * the wiring sees this package: everything else knows {@link io.sagaspring.run.RunStore}. Start reading at {@link
 * io.sagaspring.run.postgres.PostgresRunStore}, then {@code RunTable} for the statements and {@code GroupCommit} for the batches.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.run.postgres;

import org.jspecify.annotations.NullMarked;
