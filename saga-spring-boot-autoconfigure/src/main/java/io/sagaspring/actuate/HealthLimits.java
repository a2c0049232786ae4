package io.sagaspring.actuate;

import io.sagaspring.run.RunState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

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

    /**
     * Returns the page of the dashboard that lists the runs in a state.
     *
     * @param state the state
     * @return the absolute address, or null if the address of the dashboard is not set
     */
    @Nullable
    String pageOf(RunState state);
}
