package io.sagaspring.saga;

import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the steps of one execution share, forward and back, while it is executed once.
 *
 * @param plan its definition
 * @param tools of all executions
 * @param run the run that executes it
 * @param input what it was started with
 * @param id the execution, which is another run where a step was fired and forgotten
 * @param values what its steps have stored
 * @param bodies calls the code of steps
 */
record ExecutionScope<I>(
        SagaPlan<I> plan, SagaTools tools, RunContext run, I input, RunId id, StepValues values, StepInvoker bodies) {

    ExecutionScope(SagaPlan<I> plan, SagaTools tools, RunContext run, I input, RunId id) {
        this(plan, tools, run, input, id, new StepValues(), new StepInvoker(plan.name(), run, tools));
    }

    /** Returns what was decided when the attempt failed, which is now unless it is journaled. */
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
            tell(SagaEvent.Kind.RETRY_SCHEDULED, step, attempt, pause, decision.error());
        }
        if (!pause.isZero()) {
            run.sleep(JournalNames.pauseBefore(id, attempt), pause);
        }
    }

    void tell(
            SagaEvent.Kind kind, PlannedStep<I> step, int attempt, @Nullable Duration took, @Nullable StepError error) {
        tools.watch().tell(SagaEvent.ofStep(kind, id, plan.name(), step.name(), attempt, took, error));
    }

    AttemptContext<I> context(
            PlannedStep<I> step, int attempt, @Nullable Done<I> compensated, @Nullable Map<String, JsonNode> put) {
        return new AttemptContext<>(this, step, attempt, compensated, put);
    }
}
