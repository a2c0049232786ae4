package io.sagaspring.operations;

import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limits how many denied requests this node stores in each minute. */
final class DenialLimit {

    /** The maximum number of stored requests in one minute. */
    static final int MOST = 30;

    private static final Duration PERIOD = Duration.ofMinutes(1);

    private final ElapsedClock clock;
    private @Nullable Duration begun;
    private int stored;

    DenialLimit(ElapsedClock clock) {
        this.clock = clock;
    }

    /** Returns true if one more request may be stored now. */
    synchronized boolean allows() {
        Duration now = clock.now();
        if (begun == null || now.minus(begun).compareTo(PERIOD) >= 0) {
            begun = now;
            stored = 0;
        }
        return stored++ < MOST;
    }
}
