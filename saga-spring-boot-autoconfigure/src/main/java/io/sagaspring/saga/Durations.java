package io.sagaspring.saga;

import java.time.Duration;
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
}
