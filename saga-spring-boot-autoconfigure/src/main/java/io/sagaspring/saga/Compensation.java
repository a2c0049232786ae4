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

/** Compensates the completed steps of an execution. */
final class Compensation<I> {

    private final ExecutionScope<I> scope;
    private final RunContext run;

    Compensation(ExecutionScope<I> scope) {
        this.scope = scope;
        this.run = scope.run();
    }

    /**
     * Compensates the steps, latest first. A compensation completes at most once, and has the same effect key however
     * often it is started. After a compensation was given up, the saga's definition decides whether the compensations
     * of earlier steps are started. If the execution is retried, the remaining compensations are started again, latest
     * first.
     */
    void run(Collection<Done<I>> done, Exception why) {
        run.compensating();
        // If the first compensation may already have begun on another node, that node has published the event of the
        // cancellation.
        boolean isNew = !run.isReplaying() && !run.mayHaveBegun();
        if (isNew && why instanceof RunStoppedException stopped && stopped.isCancelled()) {
            scope.tools()
                    .notifier()
                    .publish(SagaEvent.ofExecution(
                            SagaEvent.Kind.EXECUTION_CANCELLED,
                            run.runId(),
                            scope.plan().name(),
                            Instant.now(),
                            null,
                            stopped.reason()));
        }
        List<PendingCompensation<I>> open = done.stream()
                .filter(each -> each.step().compensation() != null)
                .map(PendingCompensation::new)
                .toList();
        while (!open.isEmpty()) {
            open = compensate(open, why);
        }
    }

    /**
     * Calls the compensations in order. If some compensations did not complete and the execution was retried after
     * that, returns these, so that they are called again. Throws an exception if a compensation was given up and the
     * execution was not retried after that.
     */
    private List<PendingCompensation<I>> compensate(List<PendingCompensation<I>> open, Exception why) {
        List<PendingCompensation<I>> remaining = new ArrayList<>();
        boolean isStopped = false;
        for (PendingCompensation<I> each : open) {
            if (isStopped || !isCompensated(each)) {
                remaining.add(each);
                isStopped |= each.isStopping();
            }
        }
        if (!remaining.isEmpty() && remaining.stream().noneMatch(each -> each.wasRetried(run.retries()))) {
            throw GivenUpCompensationException.of(remaining, why);
        }
        remaining.forEach(PendingCompensation::beginAgain);
        return remaining;
    }

    /** Compensates one step. Returns false if its compensation is given up. */
    private boolean isCompensated(PendingCompensation<I> pending) {
        PlannedStep<I> step = pending.step();
        String id = JournalNames.compensation(step.name());
        StepCompensation<I> compensation = Objects.requireNonNull(step.compensation());
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
                JsonNode unused = scope.invoker().call(call, () -> {
                    compensation.compensate(context);
                    return new CompensationRecord(!pending.done().isKnown());
                });
                return true;
            } catch (StepFailedException thrown) {
                StepFailure.Report failed =
                        StepFailure.reportOf(thrown, scope.tools().json());
                Decision decision = scope.decision(id, attempt, decide(step, pending.attempts(), failed));
                if (decision.next() != Decision.Next.AGAIN) {
                    pending.giveUp(decision, failed.cause());
                    return false;
                }
                scope.pause(step, id, attempt + 1, decision);
            }
        }
    }

    private Decision decide(PlannedStep<I> step, int attempts, StepFailure.Report failed) {
        if (failed.retried() && step.compensationRetry().allowsAfter(attempts)) {
            return Decision.again(failed.pauseBy(step.compensationRetry(), attempts, run.random()), failed.error());
        }
        Decision.Next next = scope.plan().onCompensationFailure() == OnCompensationFailure.CONTINUE
                ? Decision.Next.PASS_OVER
                : Decision.Next.GIVE_UP;
        return new Decision(next, null, failed.error(), run.retries());
    }
}
