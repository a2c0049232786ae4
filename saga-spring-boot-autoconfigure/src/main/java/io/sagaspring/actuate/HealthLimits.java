package io.sagaspring.actuate;

import java.time.Duration;

/**
 * The settings of the health checks. A setting is read and checked when the health part that uses it is created.
 *
 * @since 0.1.0
 */
public interface HealthLimits {

    /**
     * Returns how long background work may be due before health reports a problem.
     *
     * @return the time after which health reports a problem
     */
    Duration dueWorkOverdueAfter();

    /**
     * Returns how long a run may be due before health reports a problem.
     *
     * @return the time after which health reports a problem
     */
    Duration runsOverdueAfter();

    /**
     * Returns true if this node executes runs.
     *
     * @return true if this node executes runs, or false if it only starts and reads them
     */
    boolean isExecutingRuns();
}
