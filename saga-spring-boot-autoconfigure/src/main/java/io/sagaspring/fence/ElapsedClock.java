package io.sagaspring.fence;

import java.time.Duration;

/**
 * A clock that only measures how much time has passed on this node. It never decides whether something has expired.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ElapsedClock {

    /** The clock of this virtual machine. It stands still for nobody, and is not set by anybody. */
    ElapsedClock OF_THIS_MACHINE = () -> Duration.ofNanos(System.nanoTime());

    /**
     * What the clock shows.
     *
     * @return time since some moment in the past
     */
    Duration now();
}
