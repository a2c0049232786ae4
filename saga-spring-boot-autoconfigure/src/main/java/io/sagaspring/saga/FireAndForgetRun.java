package io.sagaspring.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * The run that executes a fire-and-forget step. This run is durable, and attempts the step again according to the
 * step's retry policy. The execution does not wait for this run.
 */
record FireAndForgetRun<I>(SagaPlan<I> plan, SagaTools tools)
        implements DurableRun<FireAndForgetStep<I>, @Nullable Void> {

    static String name(SagaPlan<?> plan) {
        return plan.name() + ":fire-and-forget";
    }

    static Type inputOf(SagaPlan<?> plan) {
        return ResolvableType.forClassWithGenerics(FireAndForgetStep.class, ResolvableType.forType(plan.input()))
                .getType();
    }

    @Override
    public String name() {
        return name(plan);
    }

    @Override
    public @Nullable Void run(RunContext run, FireAndForgetStep<I> fired) throws Exception {
        PlannedStep<I> step = plan.steps().stream()
                .filter(each -> each.name().equals(fired.step()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "Saga '%s' no longer has a step '%s'. Restore the step and retry this run, or leave the run as it is."
                                .formatted(plan.name(), fired.step())));
        new Execution<>(plan, tools, run, fired).runFireAndForget(step);
        return null;
    }
}
