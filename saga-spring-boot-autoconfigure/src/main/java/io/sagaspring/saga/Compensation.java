package io.sagaspring.saga;

import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunStoppedException;
import io.sagaspring.run.StepFailedException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.JsonNode;

/** Takes an execution back: undoes what its steps have done. */
final class Compensation<I> {

    private final ExecutionScope<I> scope;
    private final RunContext run;

    Compensation(ExecutionScope<I> scope) {
        this.scope = scope;
        this.run = scope.run();
    }

    /**
     * Undoes the latest first. Each is undone once, however often it was begun: its effects have one key. After an undo that is given up,
     * the saga says whether the earlier ones are begun. When somebody retries, what is left is begun again, latest first.
     */
    void run(Collection<Done<I>> done, Exception why) {
        run.compensating();
        // On a node that takes it up where another died before the first undo, it was told.
        boolean isNew = !run.isReplaying() && !run.mayHaveBegun();
        if (isNew && why instanceof RunStoppedException stopped && stopped.isCancelled()) {
            scope.tools()
                    .watch()
                    .tell(SagaEvent.ofExecution(
                            SagaEvent.Kind.EXECUTION_CANCELLED,
                            run.runId(),
                            scope.plan().name(),
                            Instant.now(),
                            null,
                            stopped.reason()));
        }
        List<PendingCompensation<I>> open = done.stream()
                .filter(each -> each.step().undo() != null)
                .map(PendingCompensation::new)
                .toList();
        while (!open.isEmpty()) {
            open = compensated(open, why);
        }
    }

    /** Returns what could not be undone before somebody has retried the execution. */
    private List<PendingCompensation<I>> compensated(List<PendingCompensation<I>> open, Exception why) {
        List<PendingCompensation<I>> left = new ArrayList<>();
        boolean isStopped = false;
        for (PendingCompensation<I> each : open) {
            if (isStopped || !isCompensated(each)) {
                left.add(each);
                isStopped |= each.isStopping();
            }
        }
        if (!left.isEmpty() && left.stream().noneMatch(each -> each.wasRetried(run.retries()))) {
            throw GivenUpCompensationException.of(left, why);
        }
        left.forEach(PendingCompensation::beginAgain);
        return left;
    }

    /** Returns false if it is given up. */
    private boolean isCompensated(PendingCompensation<I> pending) {
        PlannedStep<I> step = pending.step();
        String id = JournalNames.undo(step.name());
        StepCompensation<I> undo = Objects.requireNonNull(step.undo());
        while (true) {
            int attempt = pending.next();
            AttemptContext<I> context = scope.context(step, attempt, pending.done(), null);
            StepInvoker.Call call = new StepInvoker.Call(
                    JournalNames.attempt(id, attempt),
                    context,
                    step.deduped(),
                    step.compensationRetry(),
                    null,
                    SagaEvent.Kind.STEP_COMPENSATED);
            try {
                JsonNode unused = scope.bodies().call(call, () -> {
                    undo.undo(context);
                    return new CompensationRecord(!pending.done().isKnown());
                });
                return true;
            } catch (StepFailedException thrown) {
                StepFailure.Words failed =
                        StepFailure.wordsOf(thrown, scope.tools().json());
                Decision decision = scope.decision(id, attempt, back(step, pending.attempts(), failed));
                if (decision.next() != Decision.Next.AGAIN) {
                    pending.giveUp(decision, failed.cause());
                    return false;
                }
                scope.pause(step, id, attempt + 1, decision);
            }
        }
    }

    private Decision back(PlannedStep<I> step, int attempts, StepFailure.Words failed) {
        if (failed.retried() && step.compensationRetry().allowsAfter(attempts)) {
            return Decision.again(step.compensationRetry().pauseAfter(attempts, run.random()), failed.error());
        }
        Decision.Next next = scope.plan().onCompensationFailure() == OnCompensationFailure.CONTINUE
                ? Decision.Next.PASS_OVER
                : Decision.Next.GIVE_UP;
        return new Decision(next, null, failed.error(), run.retries());
    }
}
