/**
 * Background work that is done at least once. A piece of work is a row, written in the transaction that decides on it.
 * Any node with a free slot picks the row up when it is due, and renews its lease while the work runs. Failed work is
 * retried with growing pauses. Work that keeps failing is parked for a person. Start reading at {@link
 * io.sagaspring.due.DueWork}.
 *
 * <p>Apart from {@code Backlog}, its public types are for the library's other packages only, and may change at any
 * time.
 */
@NullMarked
package io.sagaspring.due;

import org.jspecify.annotations.NullMarked;
