package io.sagaspring.run;

import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a store that lets runs of queues begin. It shares its runs with a {@link RunStore}, which starts and ends
 * them: a run that is started with a {@link QueuePlace} waits in the queue, and a run that ends frees its
 * {@link Permit}. A store of your own need not have this part.
 *
 * <ul>
 *   <li>A run begins only if it gets a permit of its queue in the same change. So the number of executing runs never exceeds the limit.
 *   <li>A permit belongs to a run, not to a node. If a node dies, the run keeps its permit until it continues and ends.
 *   <li>The runs of a key begin in the order of their priority, and then of their starts. Keys take turns.
 * </ul>
 *
 * @since 0.1.0
 */
public interface QueueStore {

    /**
     * A run that was cancelled before it began, and has ended.
     *
     * @param id the run's id
     * @param run the name of its code
     * @param tenant the tenant of the run, or null
     * @param reason the reason for the cancellation
     */
    record Cancelled(RunId id, String run, @Nullable String tenant, String reason) {}

    /**
     * Creates a queue. If the declaration of an existing queue has changed, the queue gets the new limits.
     *
     * @param queue the declaration
     * @return the change by an operator that the declaration replaced, or empty
     */
    Optional<String> declare(RunQueue queue);

    /**
     * Returns the time until a run of these queues can begin or join its queue.
     *
     * @param queues the names of the queues
     * @param within the time to look ahead
     * @return the time, zero or negative if a run may begin now; empty if no run can begin within the given time unless
     *     a permit is freed
     */
    Optional<Duration> untilNext(Set<String> queues, Duration within);

    /**
     * Lets due runs join their queues. A run that was cancelled before it began ends instead.
     *
     * @param queues the names of the queues
     * @return the runs that ended
     */
    List<Cancelled> join(Set<String> queues);

    /**
     * Begins runs of a queue, at most as many as there are free permits. The keys take turns: the first run belongs to
     * the key after the key that was served last.
     *
     * @param queue the name of the queue
     * @param runs the names of the code on this node
     * @param slots the maximum number of runs to begin
     * @return the runs, with their permits
     */
    List<PickedUpRun> take(String queue, Set<String> runs, int slots);

    /**
     * Pauses a queue. When this method has returned, no run of the queue begins on any node.
     *
     * @param queue the name of the queue
     * @param why the reason
     * @param by the person who pauses it
     * @return false if the queue is unknown or was already paused
     */
    boolean pause(String queue, String why, String by);

    /**
     * Resumes a paused queue.
     *
     * @param queue the name of the queue
     * @return false if the queue is unknown or was not paused
     */
    boolean resume(String queue);

    /**
     * Changes the limits of a queue. When this method has returned, a run begins only if the new limits allow it.
     *
     * @param queue the name of the queue
     * @param limits the new limits
     * @param why the reason
     * @param by the person who changes them
     * @return false if the queue is unknown
     */
    boolean limits(String queue, QueueLimits limits, String why, String by);

    /**
     * Describes all queues, including those that no declaration names any more.
     *
     * @return the queues, ordered by name
     */
    List<QueueDepth> depths();

    /**
     * Frees the permits of runs that no node continues, or that no longer exist. A run that still exists stands in its queue again.
     *
     * @param queues the names of the queues
     * @param after the time from the end of a run's lease until its permit is freed
     * @return the number of freed permits
     */
    int reclaim(Set<String> queues, Duration after);
}
