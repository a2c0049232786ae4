package io.sagaspring.run;

import java.time.Duration;

/**
 * Called when a caller is about to wait for the end of a run. In an application, this call does nothing, because other
 * threads or nodes execute the run. In a test without such threads, this call executes the run on the calling thread.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface CallersWait {

    /**
     * Executes the run if no other thread or node does.
     *
     * @param awaited the run whose end the caller waits for
     * @param timeout the longest time to wait; zero or less if the caller does not wait
     * @return the time for which the caller waits after this call
     */
    Duration pass(RunId awaited, Duration timeout);
}
