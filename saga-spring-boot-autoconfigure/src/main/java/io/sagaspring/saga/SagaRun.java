package io.sagaspring.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunStore;
import org.jspecify.annotations.Nullable;

/** A saga as the code of runs. */
record SagaRun<I>(Plan<I> plan, Tools tools) implements DurableRun<I, @Nullable Void> {

    /**
     * What every execution needs.
     *
     * @param json reads and writes what steps return
     * @param timeouts interrupt bodies
     * @param tokens of callbacks
     * @param store where executions are kept
     * @param watch is told what happens
     * @param surroundings of bodies
     */
    record Tools(
            Json json,
            Timeouts timeouts,
            CallbackTokens tokens,
            RunStore store,
            SagaWatch watch,
            StepSurroundings surroundings) {}

    @Override
    public String name() {
        return plan.name();
    }

    @Override
    public @Nullable Void run(RunContext run, I input) throws Exception {
        new Execution<>(plan, tools, run, input).run();
        return null;
    }
}
