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

    /** What may have taken effect, the latest first, each step once. */
    private final Deque<Done<I>> done = new ArrayDeque<>();

    Execution(Plan<I> plan, SagaRun.Tools tools, RunContext run, I input) {
        this.plan = plan;
        this.tools = tools;
        this.run = run;
        this.input = input;
        this.bodies = new Bodies(plan.name(), run, tools);
    }

    void run() throws SagaFailedException {
        try {
            run.step(Ids.definition(plan.hash()), () -> {});
            for (PlannedStep<I> step : plan.steps()) {
                if (isRun(step)) {
                    forward(step);
                }
            }
            run.ending();
        } catch (RunStoppedException stopped) {
            undo();
            throw stopped;
        } catch (GivenUp failed) {
            if (failed.isUndone) {
                undo();
            }
            throw new SagaFailedException(failed.step, failed.error);
        }
    }

    private boolean isRun(PlannedStep<I> step) throws GivenUp {
        Predicate<StepContext<I>> condition = step.condition();
        if (condition == null) {
            return true;
        }
        try {
            return run.step(Ids.condition(step.name()), Boolean.class, () -> condition.test(context(step, 1, null)));
        } catch (StepFailedException failed) {
            if (isToBeUndone()) {
                StepError error = StepFailure.wordsOf(failed, tools.json()).error();
                Decision unused = decision(
                        Ids.condition(step.name()), 1, new Decision(Decision.Next.UNDO, null, error, run.retries()));
                throw new GivenUp(step.name(), error, true);
            }
            // Not caught, it is asked again if somebody retries the execution.
            throw failed;
        }
    }

    /** In attempts, each with a number of its own, as long as the policy says, and again as long if somebody retries it. */
    private void forward(PlannedStep<I> step) throws GivenUp {
        int before = 0;
        for (int attempt = 1; ; attempt++) {
            StepFailure.Words failed = attempt(step, attempt);
            if (failed == null) {
                return;
            }
            Decision decision = decision(step.name(), attempt, forward(step, attempt - before, failed));
            switch (decision.next()) {
                case AGAIN -> pause(step, step.name(), attempt + 1, decision);
                case FORGET -> {
                    return;
                }
                case UNDO -> throw new GivenUp(step.name(), decision.error(), true);
                case GIVE_UP -> {
                    if (!decision.wasRetried(run.retries())) {
                        throw new GivenUp(step.name(), decision.error(), false);
                    }
                    before = attempt;
                }
            }
        }
    }

    private Decision forward(PlannedStep<I> step, int attempts, StepFailure.Words failed) {
        if (failed.retried() && step.retry().allowsAfter(attempts)) {
            return Decision.again(step.retry().pauseAfter(attempts, run.random()), failed.error());
        }
        Decision.Next next =
                step.forgotten() ? Decision.Next.FORGET : isToBeUndone() ? Decision.Next.UNDO : Decision.Next.GIVE_UP;
        return new Decision(next, null, failed.error(), run.retries());
    }

    private boolean isToBeUndone() {
        return done.stream().anyMatch(each -> each.step().undo() != null);
    }

    /** What was decided when it failed, which is now unless it is journaled. */
    private Decision decision(String id, int attempt, Decision now) {
        JsonNode decided = run.step(
                Ids.decision(id, attempt), JsonNode.class, () -> tools.json().treeOf(now));
        return tools.json().read(decided, Decision.class);
    }

    private void pause(PlannedStep<I> step, String id, int attempt, Decision decision) {
        Duration pause = Objects.requireNonNull(decision.pause());
        if (!run.isReplaying()) {
            tell(SagaEvent.Kind.RETRY_SCHEDULED, step, attempt, pause, decision.error());
        }
        if (!pause.isZero()) {
            run.sleep(Ids.pauseBefore(id, attempt), pause);
        }
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
            if (failed.maybe()) {
                mayHaveBeenDone(step);
            }
            // What it began may have been quicker than its failure.
            Optional<Callback> said = isAsync ? earlyCallback(step, attempt) : Optional.empty();
            return said.isPresent() ? heard(step, said.get()) : failed;
        } catch (RunStoppedException stopped) {
            if (stopped.mayHaveBegun()) {
                mayHaveBeenDone(step);
                if (isAsync) {
                    Optional<Callback> unused = earlyCallback(step, attempt);
                }
            }
            throw stopped;
        }
        wasDone(new Done<>(step, result, true));
        Optional<StepFailure.Words> lost = stored(step, step.stored(result));
        return lost.isPresent() || !isAsync ? lost.orElse(null) : awaited(step, attempt);
    }

    private JsonNode body(PlannedStep<I> step, int attempt) {
        boolean isAsync = step.kind() == PlannedStep.Kind.ASYNC;
        StepBody<I> body = Objects.requireNonNull(step.body());
        ContextOfStep<I> context = context(step, attempt, null);
        Bodies.Call call = new Bodies.Call(
                Ids.attempt(step.name(), attempt),
                context,
                step.deduped(),
                step.retry(),
                isAsync ? null : step.timeout(),
                isAsync ? SagaEvent.Kind.STEP_WAITING : SagaEvent.Kind.STEP_COMPLETED);
        return bodies.call(call, () -> body.call(context));
    }

    /** What a transaction has rolled back took no effect; of anything else nobody knows. */
    private void mayHaveBeenDone(PlannedStep<I> step) {
        if (!step.deduped()) {
            wasDone(new Done<>(step, null, false));
        }
    }

    /** What is known of an earlier attempt is worth more than that a later one may have taken effect, too. */
    private void wasDone(Done<I> what) {
        Done<I> before = done.peek();
        boolean isSame =
                before != null && before.step().name().equals(what.step().name());
        if (!isSame) {
            done.push(what);
        } else if (what.isKnown()) {
            done.pop();
            done.push(what);
        }
    }

    /** Returns that it failed, if it would overwrite what another step has stored. */
    private Optional<StepFailure.Words> stored(PlannedStep<I> step, Map<String, JsonNode> added) {
        Optional<String> taken = values.taken(step, added);
        if (taken.isEmpty()) {
            values.add(step, added);
            return Optional.empty();
        }
        String message = "It stores '%s', which is what step '%s' has stored. Say storeResultAs, or name it otherwise."
                .formatted(taken.get(), values.owner(taken.get()));
        return Optional.of(new StepFailure.Words(new StepError(StepError.CONTEXT, message), false, false));
    }

    private Optional<Callback> earlyCallback(PlannedStep<I> step, int attempt) {
        Optional<Callback> said = lastCallback(step, attempt, Duration.ZERO);
        said.ifPresent(unused -> wasDone(new Done<>(step, null, false)));
        return said;
    }

    private StepFailure.@Nullable Words awaited(PlannedStep<I> step, int attempt) {
        if (step.kind() == PlannedStep.Kind.SIGNAL && !run.isReplaying()) {
            tell(SagaEvent.Kind.STEP_WAITING, step, attempt, null, null);
        }
        Optional<Callback> said = lastCallback(step, attempt, step.timeout());
        if (said.isPresent()) {
            return heard(step, said.get());
        }
        StepError late = new StepError(StepError.TIMEOUT, "Nobody answered in time.");
        if (!run.isReplaying()) {
            tell(SagaEvent.Kind.STEP_TIMEOUT, step, attempt, null, late);
        }
        return new StepFailure.Words(late, true, false);
    }

    private StepFailure.@Nullable Words heard(PlannedStep<I> step, Callback said) {
        return switch (said.kind()) {
            case FAILED -> new StepFailure.Words(said.why(), true, false);
            case REFUSED -> new StepFailure.Words(said.why(), false, false);
            default -> stored(step, step.storedOfCallback(said.payload())).orElse(null);
        };
    }

    /** Empty if nobody says in time that the wait is over. */
    private Optional<Callback> lastCallback(PlannedStep<I> step, int attempt, @Nullable Duration within) {
        String awaited = Ids.awaited(step, attempt);
        Instant now = run.now();
        Instant until = within == null ? null : now.plus(within);
        while (true) {
            Optional<Callback> said = run.awaitReply(awaited, left(now, until), JsonNode.class)
                    .map(tree -> Callback.read(tree, tools.json()));
            if (said.isEmpty() || said.get().isLast()) {
                return said;
            }
            until = until == null ? null : until.plus(said.get().more());
            now = run.now();
        }
    }

    private static @Nullable Duration left(Instant now, @Nullable Instant until) {
        if (until == null) {
            return null;
        }
        Duration left = Duration.between(now, until);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** The latest first. Each is undone once, however often it was begun: its effects have one key. */
    private void undo() {
        run.compensating();
        while (!done.isEmpty()) {
            Done<I> each = done.pop();
            StepUndo<I> undo = each.step().undo();
            if (undo != null) {
                undo(each, undo);
            }
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
                    step.deduped(),
                    step.undoRetry(),
                    null,
                    SagaEvent.Kind.STEP_COMPENSATED);
            try {
                JsonNode unused = bodies.call(call, () -> {
                    undo.undo(context);
                    return new Undone(!what.isKnown());
                });
                return;
            } catch (StepFailedException thrown) {
                StepFailure.Words failed = StepFailure.wordsOf(thrown, tools.json());
                Decision decision = decision(id, attempt, back(step, attempt - before, failed));
                if (decision.next() == Decision.Next.AGAIN) {
                    pause(step, id, attempt + 1, decision);
                } else if (decision.wasRetried(run.retries())) {
                    before = attempt;
                } else {
                    throw new CompensationFailedException(
                            "Step '%s' could not be undone: %s".formatted(step.name(), decision.error()), null);
                }
            }
        }
    }

    private Decision back(PlannedStep<I> step, int attempts, StepFailure.Words failed) {
        return failed.retried() && step.undoRetry().allowsAfter(attempts)
                ? Decision.again(step.undoRetry().pauseAfter(attempts, run.random()), failed.error())
                : new Decision(Decision.Next.GIVE_UP, null, failed.error(), run.retries());
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
        private final boolean isUndone;

        GivenUp(String step, StepError error, boolean isUndone) {
            super(step, null, false, false);
            this.step = step;
            this.error = error;
            this.isUndone = isUndone;
        }
    }
}
