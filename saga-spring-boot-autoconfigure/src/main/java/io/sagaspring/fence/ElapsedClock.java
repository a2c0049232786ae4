package io.sagaspring.fence;

import java.time.Duration;

/**
 * A clock that only measures elapsed time on this node. This clock never decides whether something has expired in the
 * database.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ElapsedClock {

    /** The monotonic clock of this virtual machine. Changes of the system time do not affect it. */
    ElapsedClock OF_THIS_MACHINE = () -> Duration.ofNanos(System.nanoTime());

    /**
     * Returns the current time of this clock.
     *
     * @return the time since an arbitrary moment in the past
     */
    Duration now();
}
