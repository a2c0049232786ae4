package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import io.sagaspring.run.queue.QueueLimits;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses and resumes a queue, changes its limits, and shows how many runs it has. These changes apply on all nodes and
 * survive restarts.
 *
 * @since 0.1.0
 */
public final class QueueControl {

    private static final Logger logger = LoggerFactory.getLogger(QueueControl.class);

    private static final String A_CALLER = "a caller";

    private final String queue;
    private final QueueStore store;
    private final Runnable wake;

    QueueControl(String queue, QueueStore store, Runnable wake) {
        this.queue = queue;
        this.store = store;
        this.wake = wake;
    }

    /**
     * Pauses the queue. When this method has returned, no run of the queue begins on any node. Runs that execute
     * continue until they end.
     *
     * @param why the reason
     * @return false if the queue was already paused
     */
    public boolean pause(String why) {
        return pause(why, A_CALLER);
    }

    /**
     * Pauses the queue. When this method has returned, no run of the queue begins on any node. Runs that execute
     * continue until they end.
     *
     * @param why the reason
     * @param by the person who pauses the queue
     * @return false if the queue was already paused
     */
    public boolean pause(String why, String by) {
        RunMessages.requireNoTransaction("Pausing a queue");
        boolean paused = store.pause(queue, stored(why), stored(by));
        if (paused) {
            logger.info(
                    "Queue '{}' was paused by {}. The reason given is: '{}'", queue, LogText.of(by), LogText.of(why));
        }
        return paused;
    }

    /**
     * Resumes the queue.
     *
     * @return false if the queue was not paused
     */
    public boolean resume() {
        return resume(A_CALLER);
    }

    /**
     * Resumes the queue.
     *
     * @param by the person who resumes the queue
     * @return false if the queue was not paused
     */
    public boolean resume(String by) {
        RunMessages.requireNoTransaction("Resuming a queue");
        boolean resumed = store.resume(queue);
        if (resumed) {
            logger.info("Queue '{}' was resumed by {}", queue, LogText.of(by));
        }
        wake.run();
        return resumed;
    }

    /**
     * Changes the limits until the application declares others. When this method has returned, a run begins only if the
     * new limits allow it.
     *
     * @param limits the new limits
     * @param why the reason
     * @param by the person who changes the limits
     */
    public void limits(QueueLimits limits, String why, String by) {
        RunMessages.requireNoTransaction("Changing the limits of a queue");
        if (!store.limits(queue, limits, stored(why), stored(by))) {
            throw new IllegalStateException(
                    "The queue '%s' is not in the database yet. Wait until this application has started."
                            .formatted(queue));
        }
        logger.info(
                "The limits of queue '{}' were changed to {} by {}. The reason given is: '{}'",
                queue,
                limits,
                LogText.of(by),
                LogText.of(why));
        wake.run();
    }

    /**
     * Returns the numbers of executing and waiting runs.
     *
     * @return the depth of the queue
     * @throws IllegalStateException if the queue is not in the database yet
     */
    public QueueDepth depth() {
        return store.depths().stream()
                .filter(each -> each.queue().equals(queue))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "The queue '%s' is not in the database yet. Wait until this application has started."
                                .formatted(queue)));
    }

    private static String stored(String text) {
        return Objects.requireNonNullElse(StorageLimits.text(text), "");
    }
}
