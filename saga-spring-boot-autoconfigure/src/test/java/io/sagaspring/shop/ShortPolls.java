package io.sagaspring.shop;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes Awaitility poll immediately, then after 5 ms, and then at growing intervals. By default, Awaitility first polls
 * after 100 ms, but most conditions of our tests are met within a few milliseconds.
 */
public final class ShortPolls implements BeforeAllCallback {

    private static final Duration FIRST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(50);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(new IterativePollInterval(ShortPolls::next, FIRST));
    }

    private static Duration next(Duration interval) {
        Duration longer = interval.plus(FIRST);
        return longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
    }
}
