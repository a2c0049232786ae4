package io.sagaspring.benchmarks;

import java.time.Duration;
import java.util.List;

/**
 * The work of one contender in one slice.
 *
 * @param nanos the duration of each piece of work
 * @param elapsed the time from the beginning of the first piece of work to the end of the last one
 * @param spent the resources spent by all pieces of work
 */
record Turn(List<Long> nanos, Duration elapsed, Spent spent) {

    int done() {
        return nanos.size();
    }

    double perSecond() {
        return done() * 1e9 / elapsed.toNanos();
    }
}
