package io.sagaspring.benchmarks;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.Step;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A run of many steps of 20 ms, so that it is in a step whenever its node is stopped. This class records when each run
 * was first executed on this node.
 */
final class ManySteps implements DurableRun<String, String> {

    private static final int STEPS = 10_000;

    private final Map<RunId, Long> firstExecutions = new ConcurrentHashMap<>();

    @Override
    public String run(RunContext run, String input) {
        for (int number = 0; number < STEPS; number++) {
            run.step(Step.of("step", number), () -> {
                firstExecutions.putIfAbsent(run.runId(), System.nanoTime());
                TimeUnit.MILLISECONDS.sleep(20);
            });
        }
        return input;
    }

    /** Returns the {@link System#nanoTime()} at which each run was first executed on this node. */
    Map<RunId, Long> firstExecutions() {
        return firstExecutions;
    }
}
