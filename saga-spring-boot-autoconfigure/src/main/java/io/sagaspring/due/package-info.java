/**
 * Background work that is executed at least once. Each piece of work is a row that is inserted in the transaction that
 * requires the work. Any node with a free slot picks up the row when it is due, and renews its lease while the work
 * runs. Failed work is retried with growing pauses. Work that keeps failing is parked for a person. Start reading at
 * {@link io.sagaspring.due.DueWork}.
 *
 * <p>Apart from {@code Backlog}, the public types of this package are for the library's other packages only, and may
 * change at any time.
 */
@NullMarked
package io.sagaspring.due;

import org.jspecify.annotations.NullMarked;
