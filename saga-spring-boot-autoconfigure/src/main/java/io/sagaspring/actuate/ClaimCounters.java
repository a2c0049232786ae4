package io.sagaspring.actuate;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.definition.WorkflowDefinition;
import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.janitor.SweepListener;
import io.sagaspring.workflow.TransitionFinished;
import io.sagaspring.workflow.TransitionListener;
import io.sagaspring.workflow.TransitionRequest;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the outcomes of steps and sweeps. Every counter is registered with the value zero at the start, so that its
 * first event is visible as an increase. Ids are never tags. The requester is not a tag either, because it would
 * multiply the number of counters. The timer {@code saga.transition} has the requester as a tag.
 */
final class ClaimCounters implements MeterBinder, TransitionListener, SweepListener {

    static final List<String> OUTCOMES = List.of(
            "Completed", "Rejected", "Failed", "ClaimFailed", "ClaimLost", "Conflict", "NotApplicable", "exception");

    private static final Logger logger = LoggerFactory.getLogger(ClaimCounters.class);

    private final Supplier<Collection<WorkflowDefinition>> workflows;
    private final DeclaredClaimStates states;
    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    /**
     * Creates counters that are not registered yet.
     *
     * @param workflows the supplier of the workflows, called when a registry is bound
     * @param states the declared claim states
     */
    public ClaimCounters(Supplier<Collection<WorkflowDefinition>> workflows, DeclaredClaimStates states) {
        this.workflows = workflows;
        this.states = states;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
        // A registry that refuses a meter must not make the application fail at start-up.
        try {
            workflows.get().forEach(workflow -> registerZeros(registry, workflow));
            states.all().stream().map(ClaimState::module).distinct().forEach(module -> registerZeros(registry, module));
        } catch (RuntimeException failed) {
            logger.warn("Could not register the counters of steps and sweeps in {}", registry, failed);
        }
    }

    private static void registerZeros(MeterRegistry registry, WorkflowDefinition workflow) {
        workflow.steps()
                .forEach(step ->
                        OUTCOMES.forEach(outcome -> transitions(workflow.name(), step.key(), outcome, registry)));
    }

    private static void registerZeros(MeterRegistry registry, String module) {
        sweeps(module, false, registry);
        sweeps(module, true, registry);
        recovered(module, registry);
        blocked(module, registry);
    }

    @Override
    public void finished(TransitionFinished transition) {
        registries.forEach(registry -> transitions(
                        transition.workflow(),
                        transition.step(),
                        transition.outcome().name(),
                        registry)
                .increment());
    }

    @Override
    public void failed(TransitionRequest request, Throwable failure) {
        registries.forEach(registry -> transitions(request.workflow(), request.step(), "exception", registry)
                .increment());
    }

    @Override
    public void swept(String module, boolean failed) {
        registries.forEach(registry -> sweeps(module, failed, registry).increment());
    }

    @Override
    public void recovered(ClaimRecovered claim) {
        if (claim.releasedBy() == null) {
            registries.forEach(registry -> recovered(claim.module(), registry).increment());
        }
    }

    @Override
    public void blocked(String module) {
        registries.forEach(registry -> blocked(module, registry).increment());
    }

    private static Counter transitions(String workflow, String step, String outcome, MeterRegistry registry) {
        return Counter.builder("saga.transitions")
                .description("Steps that were run, by outcome.")
                .tags("workflow", workflow, "step", step, "outcome", outcome)
                .register(registry);
    }

    private static Counter sweeps(String module, boolean failed, MeterRegistry registry) {
        return Counter.builder("saga.janitor.sweeps")
                .description("Sweeps of this node.")
                .tags(Tags.of("module", module).and("result", failed ? "failed" : "finished"))
                .register(registry);
    }

    private static Counter recovered(String module, MeterRegistry registry) {
        return Counter.builder("saga.janitor.recovered")
                .description("Entities that the janitors of this node have reverted.")
                .tags("module", module)
                .register(registry);
    }

    private static Counter blocked(String module, MeterRegistry registry) {
        return Counter.builder("saga.janitor.blocked")
                .description("Stuck entities that a sweep skipped because a transaction held them or their claims.")
                .tags("module", module)
                .register(registry);
    }
}
