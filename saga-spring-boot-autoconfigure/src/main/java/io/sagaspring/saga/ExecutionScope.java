package io.sagaspring.saga;

import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The state that an execution's steps and compensations share. A new scope is created each time a node executes the
 * run.
 *
 * @param plan the saga's definition
 * @param tools the components that all executions share
 * @param run the run that executes the code
 * @param input the execution's input
 * @param id the execution's id; for a fire-and-forget step it differs from the id of the run
 * @param values the values that steps have stored
 * @param invoker the component that calls the code of steps
 */
record ExecutionScope<I>(
        SagaPlan<I> plan, SagaTools tools, RunContext run, I input, RunId id, StepValues values, StepInvoker invoker) {

    ExecutionScope(SagaPlan<I> plan, SagaTools tools, RunContext run, I input, RunId id) {
        this(plan, tools, run, input, id, new StepValues(), new StepInvoker(plan.name(), run, tools));
    }

    /** Returns the journaled decision about a failed attempt, or journals and returns the given one. */
    Decision decision(String id, int attempt, Decision now) {
        JsonNode decided = run.step(
                JournalNames.decision(id, attempt),
                JsonNode.class,
                () -> tools.json().treeOf(now));
        return tools.json().read(decided, Decision.class);
    }

    void pause(PlannedStep<I> step, String id, int attempt, Decision decision) {
        Duration pause = Objects.requireNonNull(decision.pause());
        if (!run.isReplaying()) {
            publish(SagaEvent.Kind.RETRY_SCHEDULED, step, attempt, pause, decision.error());
        }
        if (!pause.isZero()) {
            run.sleep(JournalNames.pauseBefore(id, attempt), pause);
        }
    }

    void publish(
            SagaEvent.Kind kind, PlannedStep<I> step, int attempt, @Nullable Duration took, @Nullable StepError error) {
        tools.notifier().publish(SagaEvent.ofStep(kind, id, plan.name(), step.name(), attempt, took, error));
    }

    AttemptContext<I> context(
            PlannedStep<I> step, int attempt, @Nullable Done<I> compensated, @Nullable StepOutput output) {
        return new AttemptContext<>(this, step, attempt, compensated, output);
    }
}
