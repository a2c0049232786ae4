package io.sagaspring.saga;

import io.sagaspring.run.CompensationFailedException;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunStoppedException;
import io.sagaspring.run.StepFailedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One execution of a saga, as it is driven once: forward through its steps, or back through what was done. */
final class Execution<I> {

    private final Plan<I> plan;
    private final SagaRun.Tools tools;
    private final RunContext run;
    private final I input;
    private final Bodies bodies;
    private final Values values = new Values();

    /** What may have taken effect, the latest first. */
    private final Deque<Done<I>> done = new ArrayDeque<>();

    /** How often it was given up so far, to be gone on with if somebody retries it. */
    private int givenUp;

    Execution(Plan<I> plan, SagaRun.Tools tools, RunContext run, I input) {
        this.plan = plan;
        this.tools = tools;
        this.run = run;
        this.input = input;
        this.bodies = new Bodies(plan.name(), run, tools);
    }

    void run() throws SagaFailedException {
        run.step(Ids.definition(plan.hash()), () -> {});
        try {
            for (PlannedStep<I> step : plan.steps()) {
                if (isRun(step)) {
                    forward(step);
                }
            }
        } catch (RunStoppedException stopped) {
            undo();
            throw stopped;
        } catch (GivenUp failed) {
            if (isToBeUndone()) {
                undo();
            }
            throw new SagaFailedException(failed.step, failed.error);
        }
    }

    private boolean isRun(PlannedStep<I> step) {
        Predicate<StepContext<I>> condition = step.condition();
        return condition == null
                || run.step(Ids.condition(step.name()), Boolean.class, () -> condition.test(context(step, 1, null)));
    }

    /** In attempts, each with a number of its own, as long as the policy says, and again as long if somebody retries it. */
    private void forward(PlannedStep<I> step) throws GivenUp {
        int before = 0;
        for (int attempt = 1; ; attempt++) {
            StepFailure.Words failed = attempt(step, attempt);
            if (failed == null) {
                return;
            }
            if (failed.retried() && step.retry().allowsAfter(attempt - before)) {
                pauseAfter(step, step.name(), attempt, attempt - before, step.retry(), failed.error());
            } else if (step.forgotten()) {
                return;
            } else if (isToBeUndone()) {
                journalGivenUp(step.name(), givenUp + 1, failed.error());
                throw new GivenUp(step.name(), failed.error());
            } else if (goesOn(step.name(), failed.error())) {
                before = attempt;
            } else {
                throw new GivenUp(step.name(), failed.error());
            }
        }
    }

    private boolean isToBeUndone() {
        return done.stream().anyMatch(each -> each.step().undo() != null);
    }

    /** Whether somebody has retried what was given up here. */
    private boolean goesOn(String id, StepError error) {
        givenUp++;
        journalGivenUp(id, givenUp, error);
        return run.retries() >= givenUp;
    }

    /** For people who ask why. */
    private void journalGivenUp(String id, int time, StepError error) {
        run.step(Ids.givenUp(id, time), StepError.class, () -> error);
    }

    /** Returns what failed, or null if the step is over. */
    private StepFailure.@Nullable Words attempt(PlannedStep<I> step, int attempt) {
        return step.kind() == PlannedStep.Kind.SIGNAL ? awaited(step, attempt) : called(step, attempt);
    }

    private StepFailure.@Nullable Words called(PlannedStep<I> step, int attempt) {
        boolean isAsync = step.kind() == PlannedStep.Kind.ASYNC;
        JsonNode result;
        try {
            result = body(step, attempt);
        } catch (StepFailedException thrown) {
            StepFailure.Words failed = StepFailure.wordsOf(thrown, tools.json());
            // What it began may have been quicker than its failure.
            return isAsync ? earlyCallback(step, attempt, failed) : noted(step, failed);
        } catch (RunStoppedException stopped) {
            if (stopped.mayHaveBegun()) {
                done.push(Done.maybe(step));
            }
            throw stopped;
        }
        done.push(new Done<>(step, result, true));
        values.add(step, step.stored(result));
        return isAsync ? awaited(step, attempt) : null;
    }

    private StepFailure.Words noted(PlannedStep<I> step, StepFailure.Words failed) {
        if (failed.maybe()) {
            done.push(Done.maybe(step));
        }
        return failed;
    }

    private @Nullable JsonNode body(PlannedStep<I> step, int attempt) {
        boolean isAsync = step.kind() == PlannedStep.Kind.ASYNC;
        StepBody<I> body = Objects.requireNonNull(step.body());
        ContextOfStep<I> context = context(step, attempt, null);
        Bodies.Call call = new Bodies.Call(
                Ids.attempt(step.name(), attempt),
                context,
                step.deduped(),
                step.retry(),
                isAsync ? null : step.timeout(),
                run.mayHaveBegun(),
                isAsync ? SagaEvent.Kind.STEP_WAITING : SagaEvent.Kind.STEP_COMPLETED);
        return bodies.call(call, () -> {
            JsonNode result = tools.json().tree(body.call(context));
            requireOwnKeys(step, step.stored(result));
            return result;
        });
    }

    private void requireOwnKeys(PlannedStep<I> step, Map<String, JsonNode> added) throws StepFailure {
        Optional<String> taken = values.taken(step, added);
        if (taken.isPresent()) {
            String message =
                    "It stores '%s', which is what step '%s' has stored. Say storeResultAs, or name it otherwise."
                            .formatted(taken.get(), values.owner(taken.get()));
            throw new StepFailure(
                    new StepFailure.Words(new StepError(StepError.CONTEXT, message), false, true), tools.json(), null);
        }
    }

    private StepFailure.@Nullable Words earlyCallback(PlannedStep<I> step, int attempt, StepFailure.Words failed) {
        Optional<Callback> said = lastCallback(step, attempt, run.now());
        said.ifPresent(unused -> done.push(Done.maybe(step)));
        return said.isEmpty() ? noted(step, failed) : ended(step, said.get());
    }

    private StepFailure.@Nullable Words awaited(PlannedStep<I> step, int attempt) {
        if (step.kind() == PlannedStep.Kind.SIGNAL && !run.isReplaying()) {
            tell(SagaEvent.Kind.STEP_WAITING, step, attempt, null, null);
        }
        Instant until = step.timeout() == null ? null : run.now().plus(step.timeout());
        Optional<Callback> said = lastCallback(step, attempt, until);
        if (said.isPresent()) {
            return ended(step, said.get());
        }
        StepError late = new StepError(StepError.TIMEOUT, "Nobody answered within %s.".formatted(step.timeout()));
        if (!run.isReplaying()) {
            tell(SagaEvent.Kind.STEP_TIMEOUT, step, attempt, null, late);
        }
        return new StepFailure.Words(late, true, false);
    }

    private StepFailure.@Nullable Words ended(PlannedStep<I> step, Callback said) {
        if (said.kind() == Callback.Kind.FAILED) {
            return new StepFailure.Words(Objects.requireNonNull(said.error()), true, false);
        }
        values.add(step, step.storedOfCallback(said.payload()));
        return null;
    }

    /** Empty if nobody says in time that the wait is over. */
    private Optional<Callback> lastCallback(PlannedStep<I> step, int attempt, @Nullable Instant deadline) {
        String awaited = Ids.awaited(step, attempt);
        Instant until = deadline;
        while (true) {
            Optional<Callback> said = run.awaitReply(awaited, until == null ? null : left(until), Callback.class);
            if (said.isEmpty() || said.get().kind() != Callback.Kind.EXTENDED) {
                return said;
            }
            until = until == null
                    ? null
                    : until.plus(Objects.requireNonNull(said.get().by()));
        }
    }

    private Duration left(Instant until) {
        Duration left = Duration.between(run.now(), until);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private void pauseAfter(PlannedStep<I> step, String id, int attempt, int ofThese, Retry retry, StepError error) {
        Duration pause = retry.pauseAfter(ofThese, run.random());
        if (!run.isReplaying()) {
            tell(SagaEvent.Kind.RETRY_SCHEDULED, step, attempt + 1, pause, error);
        }
        if (!pause.isZero()) {
            run.sleep(Ids.pauseBefore(id, attempt + 1), pause);
        }
    }

    /** The latest first. Each is undone once, however often it was begun: its effects have one key. */
    private void undo() {
        run.compensating();
        String before = "";
        while (!done.isEmpty()) {
            Done<I> each = done.pop();
            StepUndo<I> undo = each.step().undo();
            if (undo != null && !each.step().name().equals(before)) {
                undo(each, undo);
            }
            before = each.step().name();
        }
    }

    private void undo(Done<I> what, StepUndo<I> undo) {
        PlannedStep<I> step = what.step();
        String id = Ids.undo(step.name());
        int before = 0;
        for (int attempt = 1; ; attempt++) {
            ContextOfStep<I> context = context(step, attempt, what);
            Bodies.Call call = new Bodies.Call(
                    Ids.attempt(id, attempt),
                    context,
                    false,
                    step.undoRetry(),
                    null,
                    true,
                    SagaEvent.Kind.STEP_COMPENSATED);
            try {
                JsonNode unused = bodies.call(call, () -> {
                    undo.undo(context);
                    return tools.json().tree(new Undone(!what.isKnown()));
                });
                return;
            } catch (StepFailedException thrown) {
                StepFailure.Words failed = StepFailure.wordsOf(thrown, tools.json());
                if (failed.retried() && step.undoRetry().allowsAfter(attempt - before)) {
                    pauseAfter(step, id, attempt, attempt - before, step.undoRetry(), failed.error());
                } else if (goesOn(id, failed.error())) {
                    before = attempt;
                } else {
                    throw new CompensationFailedException(
                            "Step '%s' could not be undone: %s".formatted(step.name(), failed.error()), null);
                }
            }
        }
    }

    private void tell(
            SagaEvent.Kind kind, PlannedStep<I> step, int attempt, @Nullable Duration took, @Nullable StepError error) {
        tools.watch().tell(new SagaEvent(kind, run.runId(), plan.name(), step.name(), attempt, took, error));
    }

    private ContextOfStep<I> context(PlannedStep<I> step, int attempt, @Nullable Done<I> undone) {
        return new ContextOfStep<>(plan, input, run.runId(), step, attempt, values, undone, tools);
    }

    /** A step failed for good. */
    private static final class GivenUp extends Exception {

        private static final long serialVersionUID = 1L;

        private final String step;
        private final transient StepError error;

        GivenUp(String step, StepError error) {
            super(step, null, false, false);
            this.step = step;
            this.error = error;
        }
    }
}
