package io.sagaspring.test.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import java.time.Duration;

/**
 * A run that doubles a number. It waits for ever if the number is zero, fails if it is negative, and sleeps for an hour
 * if it is more than a hundred.
 */
final class Doubled implements DurableRun<Integer, Integer> {

    @Override
    public Integer run(RunContext run, Integer number) {
        if (number < 0) {
            throw new IllegalArgumentException("negative");
        }
        if (number > 100) {
            run.sleep("rest", Duration.ofHours(1));
        }
        return number == 0
                ? run.awaitSignal("number", Integer.class)
                : run.step("double", Integer.class, () -> 2 * number);
    }
}
