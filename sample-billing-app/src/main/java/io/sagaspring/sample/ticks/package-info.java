/**
 * A schedule that fires a run on time, and the calls that control schedules. It is off by default. Start reading at
 * {@link io.sagaspring.sample.ticks.Tick}.
 */
@NullMarked
package io.sagaspring.sample.ticks;

import org.jspecify.annotations.NullMarked;
