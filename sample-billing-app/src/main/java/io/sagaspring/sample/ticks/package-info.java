/**
 * A schedule that fires a run on time, and the calls that control schedules. The schedule is off by default. Start
 * reading at {@link io.sagaspring.sample.ticks.Tick}.
 */
@NullMarked
package io.sagaspring.sample.ticks;

import org.jspecify.annotations.NullMarked;
