package io.sagaspring.run.postgres;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.run.Lanes.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the due time at which a search for due runs may begin in each lane: the due time of the first run that the
 * latest search found there. Until a vacuum, the index keeps the entries of runs that were picked up, and a search
 * without a bound reads all of these entries.
 *
 * <p>Other runs may have an earlier due time: another transaction had locked them, or committed them late. So the bounds
 * are forgotten after a short time, and as soon as a search finds fewer runs than it asked for. The caller then searches
 * again.
 */
final class LaneBounds {

    private static final Duration LONGEST = Duration.ofMillis(100);

    private final ElapsedClock ticks;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Lane, Instant> bounds = new HashMap<>();
    private @Nullable Duration since;

    LaneBounds(ElapsedClock ticks) {
        this.ticks = ticks;
    }

    /** Returns the due time at which to begin in each of these lanes, or empty for no bound. */
    List<Optional<Instant>> of(List<Lane> lanes) {
        lock.lock();
        try {
            Duration now = ticks.now();
            if (since == null || now.minus(since).compareTo(LONGEST) > 0) {
                bounds.clear();
                since = now;
            }
            return lanes.stream()
                    .map(lane -> Optional.ofNullable(bounds.get(lane)))
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records the result of a search.
     *
     * @param first the earliest due time that was found in each lane
     * @param enough false if fewer runs were found than asked for
     */
    void found(Map<Lane, Instant> first, boolean enough) {
        lock.lock();
        try {
            if (enough) {
                bounds.putAll(first);
            } else {
                since = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
