/**
 * Work that becomes due at a time and is done at least once: a row written in the transaction that decides it, picked up
 * by any node with a free slot, kept while it is worked on, tried again with growing pauses, and parked where a person
 * sees it when it keeps failing. Start reading at {@link io.sagaspring.due.DueWork}.
 *
 * <p>Apart from {@code Backlog}, its public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.due;

import org.jspecify.annotations.NullMarked;
