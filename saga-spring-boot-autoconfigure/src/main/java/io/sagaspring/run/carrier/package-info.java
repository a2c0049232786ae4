/**
 * Takes the log context, the trace and the user of whoever starts a run to wherever the run is executed, and leaves nothing of
 * them on the thread. A run knows none of the libraries that these come from. Start reading at {@link
 * io.sagaspring.run.carrier.Carriers}.
 */
@NullMarked
package io.sagaspring.run.carrier;

import org.jspecify.annotations.NullMarked;
