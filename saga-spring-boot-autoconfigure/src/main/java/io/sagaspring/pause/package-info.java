/**
 * Pauses of kinds of runs and of janitors. They are stored in the database, so they apply to all nodes and survive
 * restarts. Start reading at {@link io.sagaspring.pause.Pauses}.
 *
 * <p>The types of this package are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.pause;

import org.jspecify.annotations.NullMarked;
