package io.sagaspring.benchmarks;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.Step;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A run that is in a step of 20 ms whenever its node is ended, and notes when it was first driven here. */
final class ManySteps implements DurableRun<String, String> {

    private static final int STEPS = 10_000;

    private final Map<RunId, Long> runLease = new ConcurrentHashMap<>();

    @Override
    public String run(RunContext run, String input) {
        for (int number = 0; number < STEPS; number++) {
            run.step(Step.of("step", number), () -> {
                runLease.putIfAbsent(run.runId(), System.nanoTime());
                TimeUnit.MILLISECONDS.sleep(20);
            });
        }
        return input;
    }

    /** When each was first driven on this node, by its own clock. */
    Map<RunId, Long> runLease() {
        return runLease;
    }
}
