package io.sagaspring.listener;

import java.time.Duration;

/**
 * The stored deliveries of one listener. Each number is counted up to 1,000.
 *
 * @param listener the id of the listener
 * @param known true if this node has the listener
 * @param stored the number of deliveries
 * @param due the number of deliveries that could begin now and that no node has begun
 * @param overdue the time since the oldest of the due deliveries could have begun
 * @param parked the number of parked deliveries
 * @since 0.1.0
 */
public record ListenerBacklog(String listener, boolean known, int stored, int due, Duration overdue, int parked) {

    /**
     * Tells whether the oldest due delivery could have begun long ago.
     *
     * @param longest the time for which a delivery may be due
     * @return true if a delivery has been due for at least this time
     */
    public boolean isOverdue(Duration longest) {
        return due > 0 && overdue.compareTo(longest) >= 0;
    }
}
