package io.sagaspring.benchmarks;

import java.time.Duration;
import java.util.List;

/**
 * What one contender did in one slice.
 *
 * @param nanos how long each piece of work took
 * @param elapsed from the first begin to the last end
 * @param spent by all of it
 */
record Turn(List<Long> nanos, Duration elapsed, Spent spent) {

    int done() {
        return nanos.size();
    }

    double perSecond() {
        return done() * 1e9 / elapsed.toNanos();
    }
}
