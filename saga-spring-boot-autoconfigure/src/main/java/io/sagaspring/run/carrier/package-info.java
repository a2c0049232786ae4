/**
 * Carriers for the log context, the trace and the user. They transfer this context from the caller that starts a run to
 * the thread that executes the run. After the execution, they restore the previous context of that thread. The run
 * engine itself does not depend on the libraries for tracing and security. Start reading at {@link
 * io.sagaspring.run.carrier.Carriers}.
 *
 * <p>The public type of this package is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.run.carrier;

import org.jspecify.annotations.NullMarked;
