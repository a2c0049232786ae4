package io.sagaspring.saga;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Limits and measures durations. A limited duration can be added to a time without overflow. */
final class Durations {

    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Durations() {}

    static @Nullable Duration boundedOrNull(@Nullable Duration duration) {
        return duration == null ? null : bounded(duration);
    }

    static Duration bounded(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
    }

    /**
     * Returns the time since an instant, by this node's clock. The result is never negative, even if the instant comes
     * from a clock that is ahead.
     */
    static Duration since(Instant then) {
        return between(then, Instant.now());
    }

    static Duration between(Instant then, Instant now) {
        Duration between = Duration.between(then, now);
        return between.isNegative() ? Duration.ZERO : between;
    }
}
