package io.sagaspring.benchmarks;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;

/** The measured flow. Its steps do nothing, so that only the journal is measured. */
final class ThreeSteps implements DurableRun<String, String> {

    @Override
    public String run(RunContext run, String input) {
        String first = run.step("first", String.class, () -> input);
        String second = run.step("second", String.class, () -> first);
        return run.step("third", String.class, () -> second);
    }
}
