package io.sagaspring.run;

import java.time.Duration;

/** Pauses as they can be stored. */
final class Pauses {

    /** A thousand years, which is for ever. No clock ends before that. */
    private static final Duration LONGEST = Duration.ofDays(365_000);

    private Pauses() {}

    static Duration storable(Duration pause) {
        return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    }
}
