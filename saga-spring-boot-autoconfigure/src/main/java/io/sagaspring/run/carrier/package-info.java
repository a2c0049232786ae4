/**
 * Takes the log context, the trace and the user of whoever starts a run to wherever the run is executed, and leaves nothing of
 * them on the thread. A run knows none of the libraries that these come from. Start reading at {@link
 * io.sagaspring.run.carrier.Carriers}.
 *
 * <p>Its public type is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.run.carrier;

import org.jspecify.annotations.NullMarked;
