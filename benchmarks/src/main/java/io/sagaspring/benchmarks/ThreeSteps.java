package io.sagaspring.benchmarks;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;

/** The flow that is measured: what it does is nothing, so that what is measured is the journal. */
final class ThreeSteps implements DurableRun<String, String> {

    @Override
    public String run(RunContext run, String input) {
        String first = run.step("first", String.class, () -> input);
        String second = run.step("second", String.class, () -> first);
        return run.step("third", String.class, () -> second);
    }
}
