package io.sagaspring.run;

import io.sagaspring.run.queue.QueueLimits;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The runs and the limits of a queue at one moment.
 *
 * @param queue the name of the queue
 * @param limits the current limits
 * @param inUse the number of permits that runs hold
 * @param waiting the number of runs that stand in the queue, up to 10,000
 * @param oldest the longest time that one of the counted runs has been standing in the queue, zero if there is none
 * @param change the latest change of the limits by a person, or null
 * @param pause the pause of the queue, or null
 * @since 0.1.0
 */
public record QueueDepth(
        String queue,
        QueueLimits limits,
        int inUse,
        int waiting,
        Duration oldest,
        @Nullable Decision change,
        @Nullable Decision pause) {

    /**
     * A decision of a person.
     *
     * @param at the time of the decision
     * @param by the person
     * @param why the reason
     */
    public record Decision(Instant at, String by, String why) {}

    /**
     * Tells whether a run has waited for too long without a reason. A paused queue has a reason. Limits for each key and
     * limits of the starts may be one, because with them, runs may wait although there are free permits.
     *
     * @param longest the time for which a run may wait
     * @param declared true if the application declares the queue; the runs of any other queue wait without a reason
     * @return true if a run has waited for at least this time, without a reason
     */
    public boolean isOverdue(Duration longest, boolean declared) {
        if (waiting == 0 || oldest.compareTo(longest) < 0) {
            return false;
        }
        boolean mayWait = isPaused()
                || limits.atOnceForEach() != null
                || limits.starts() != null
                || limits.startsForEach() != null
                || inUse >= limits.atOnce();
        return !declared || !mayWait;
    }

    /**
     * Tells whether the queue is paused.
     *
     * @return true if nothing begins until it is resumed
     */
    public boolean isPaused() {
        return pause != null;
    }
}
