package io.sagaspring.saga;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Durations that are so long that no clock ends before are cut, so that they can be added to a time. */
final class Durations {

    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Durations() {}

    static @Nullable Duration boundedOrNull(@Nullable Duration any) {
        return any == null ? null : bounded(any);
    }

    static Duration bounded(Duration any) {
        return any.compareTo(LONGEST) > 0 ? LONGEST : any;
    }

    /** By the clock of this node, and never negative: the clock of another one may be ahead. */
    static Duration since(Instant then) {
        return between(then, Instant.now());
    }

    static Duration between(Instant then, Instant now) {
        Duration between = Duration.between(then, now);
        return between.isNegative() ? Duration.ZERO : between;
    }
}
