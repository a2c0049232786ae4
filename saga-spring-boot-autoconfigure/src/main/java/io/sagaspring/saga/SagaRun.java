package io.sagaspring.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import org.jspecify.annotations.Nullable;

/** A saga in the form of a durable run. */
record SagaRun<I>(SagaPlan<I> plan, SagaTools tools) implements DurableRun<I, @Nullable Void> {

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
