package io.sagaspring.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import org.jspecify.annotations.Nullable;

/**
 * A saga in the form of a durable run. Its result is not stored, because the journal has the values of the steps.
 *
 * @param definition the name of the plan's {@linkplain SagaPlan#hash() hash} in the journal
 */
record SagaRun<I>(SagaPlan<I> plan, String definition, SagaTools tools) implements DurableRun<I, @Nullable SagaResult> {

    @Override
    public String name() {
        return plan.name();
    }

    @Override
    public @Nullable SagaResult run(RunContext run, I input) throws Exception {
        return new Execution<>(plan, tools, run, input).run(definition);
    }
}
