package io.sagaspring.test.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;

/** A run that doubles a number. It waits for ever if the number is zero, and fails if it is negative. */
final class Doubled implements DurableRun<Integer, Integer> {

    @Override
    public Integer run(RunContext run, Integer number) {
        if (number < 0) {
            throw new IllegalArgumentException("negative");
        }
        return number == 0
                ? run.awaitSignal("number", Integer.class)
                : run.step("double", Integer.class, () -> 2 * number);
    }
}
