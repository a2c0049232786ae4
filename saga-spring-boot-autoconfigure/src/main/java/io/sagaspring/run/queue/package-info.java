/**
 * Declarations of queues: their names and limits, and the rules for both. {@link io.sagaspring.run.queue.Queues} checks all declarations
 * of an application together. A limit that cannot work keeps the application from starting. Applications use
 * {@link io.sagaspring.run.queue.RunQueue} and {@link io.sagaspring.run.queue.QueueLimits}. Start reading at
 * {@link io.sagaspring.run.queue.RunQueue}.
 *
 * <p>Of the public types, {@code Queues} is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.run.queue;

import org.jspecify.annotations.NullMarked;
