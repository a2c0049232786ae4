package io.sagaspring.shop;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.pollinterval.IterativePollInterval;

/**
 * Waits for what mostly is there in a few milliseconds. The condition is asked at once, and then less and less often, so that
 * a test waits for little longer than it must, and a long wait costs little.
 */
public final class Soon {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

    private Soon() {}

    public static ConditionFactory await() {
        return Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(IterativePollInterval.iterative(Soon::next, FIRST_PAUSE));
    }

    private static Duration next(Duration pause) {
        Duration longer = pause.multipliedBy(2);
        return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }
}
