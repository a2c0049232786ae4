package io.sagaspring.schedule;

import java.time.Duration;

/**
 * Listens to the firings and the skipped instants of schedules on this node. The methods are called after the commit.
 *
 * @since 0.1.0
 */
public interface ScheduleListener {

    /**
     * Handles a firing.
     *
     * @param schedule the name of the schedule
     * @param lag the time from the instant to the start of the run
     */
    void fired(String schedule, Duration lag);

    /**
     * Handles skipped instants.
     *
     * @param schedule the name of the schedule
     * @param missed the number of instants that were skipped because they were missed
     * @param overlapped the number of instants that were skipped because a run had not ended
     */
    void skipped(String schedule, int missed, int overlapped);
}
