/**
 * Claims among processes that race, halt, are killed or stand still. What the bodies did is told by a journal that uses
 * nothing of the engine, and judged by {@link io.sagaspring.chaos.Inspection}. Start reading at {@link
 * io.sagaspring.chaos.Depot}, the application that all of them run.
 */
@NullMarked
package io.sagaspring.chaos;

import org.jspecify.annotations.NullMarked;
