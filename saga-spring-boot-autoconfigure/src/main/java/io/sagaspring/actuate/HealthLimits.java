package io.sagaspring.actuate;

import java.time.Duration;

/**
 * The settings that health judges by. Each is read when a part of the health needs it, and refused there if it is wrong.
 *
 * @since 0.1.0
 */
public interface HealthLimits {

    /**
     * Returns how long background work may wait.
     *
     * @return the longest time that is no fault
     */
    Duration dueWorkOverdueAfter();

    /**
     * Returns how long a run may wait for a node.
     *
     * @return the longest time that is no fault
     */
    Duration runsOverdueAfter();

    /**
     * Tells whether this node executes runs.
     *
     * @return false on a node that only starts and reads them
     */
    boolean isExecutingRuns();
}
