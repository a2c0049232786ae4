package io.sagaspring.saga;

import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunStoppedException;
import io.sagaspring.run.StepFailedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** One execution of a saga, as it is driven once: forward through its steps, or {@linkplain Compensation back}. */
final class Execution<I> {

    private final ExecutionScope<I> scope;
    private final SagaPlan<I> plan;
    private final SagaTools tools;
    private final RunContext run;
    private final StepValues values;

    /** What may have taken effect, the latest first, each step once. */
    private final Deque<Done<I>> done = new ArrayDeque<>();

    Execution(SagaPlan<I> plan, SagaTools tools, RunContext run, I input) {
        this(new ExecutionScope<>(plan, tools, run, input, run.runId()));
    }

    /** One step of an execution that goes on meanwhile. */
    Execution(SagaPlan<I> plan, SagaTools tools, RunContext run, FireAndForgetStep<I> fired) {
        this(new ExecutionScope<>(plan, tools, run, fired.input(), fired.execution()));
        values.addAll(fired.context());
    }

    private Execution(ExecutionScope<I> scope) {
        this.scope = scope;
        this.plan = scope.plan();
        this.tools = scope.tools();
        this.run = scope.run();
        this.values = scope.values();
    }

    void run() throws SagaFailedException {
        try {
            run.step(JournalNames.definition(plan.hash()), () -> {});
            for (PlannedStep<I> step : plan.steps()) {
                if (isRun(step)) {
                    if (step.fireAndForget()) {
                        fire(step);
                    } else {
                        forward(step);
                    }
                }
            }
            run.ending();
        } catch (RunStoppedException stopped) {
            new Compensation<>(scope).run(done, stopped);
            throw stopped;
        } catch (GivenUp givenUp) {
            SagaFailedException failed = new SagaFailedException(givenUp.step(), givenUp.error(), givenUp.getCause());
            if (givenUp.isCompensated()) {
                new Compensation<>(scope).run(done, failed);
            }
            throw failed;
        }
    }

    /** Alone it fails alone: whoever retries its run has it go on. */
    void runFireAndForget(PlannedStep<I> step) throws SagaFailedException {
        try {
            forward(step);
        } catch (GivenUp givenUp) {
            throw new SagaFailedException(givenUp.step(), givenUp.error(), givenUp.getCause());
        }
    }

    private void fire(PlannedStep<I> step) throws GivenUp {
        String fired = JournalNames.fired(step.name());
        try {
            RunId unused = run.startFireAndForget(
                    fired,
                    FireAndForgetRun.name(plan),
                    new FireAndForgetStep<>(scope.id(), step.name(), scope.input(), new LinkedHashMap<>(values.all())));
        } catch (StepFailedException failed) {
            throw unasked(step, fired, failed);
        }
    }

    /** What failed beside the bodies: what was done is undone. Not caught, it is asked again if somebody retries the execution. */
    private GivenUp unasked(PlannedStep<I> step, String id, StepFailedException failed) {
        if (!isToBeCompensated()) {
            throw failed;
        }
        StepError error = StepFailure.wordsOf(failed, tools.json()).error();
        Decision unused = scope.decision(id, 1, new Decision(Decision.Next.UNDO, null, error, run.retries()));
        return new GivenUp(step.name(), error, true, failed.getCause());
    }

    private boolean isRun(PlannedStep<I> step) throws GivenUp {
        Predicate<StepContext<I>> condition = step.condition();
        if (condition == null) {
            return true;
        }
        try {
            return run.step(
                    JournalNames.condition(step.name()),
                    Boolean.class,
                    () -> condition.test(scope.context(step, 1, null, null)));
        } catch (StepFailedException failed) {
            throw unasked(step, JournalNames.condition(step.name()), failed);
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
            Decision decision = scope.decision(step.name(), attempt, forward(step, attempt - before, failed));
            switch (decision.next()) {
                case AGAIN -> scope.pause(step, step.name(), attempt + 1, decision);
                case UNDO -> throw new GivenUp(step.name(), decision.error(), true, failed.cause());
                default -> {
                    if (!decision.wasRetried(run.retries())) {
                        throw new GivenUp(step.name(), decision.error(), false, failed.cause());
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
        Decision.Next next = isToBeCompensated() ? Decision.Next.UNDO : Decision.Next.GIVE_UP;
        return new Decision(next, null, failed.error(), run.retries());
    }

    private boolean isToBeCompensated() {
        return done.stream().anyMatch(each -> each.step().undo() != null);
    }

    /** Returns what failed, or null if the step is over. */
    private StepFailure.@Nullable Words attempt(PlannedStep<I> step, int attempt) {
        return step.kind() == PlannedStep.Kind.SIGNAL ? awaited(step, attempt) : called(step, attempt);
    }

    private StepFailure.@Nullable Words called(PlannedStep<I> step, int attempt) {
        boolean isAsync = step.kind() == PlannedStep.Kind.ASYNC;
        StepResult result;
        try {
            result = StepResult.of(body(step, attempt));
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
        wasDone(new Done<>(step, result.value(), true));
        Optional<StepFailure.Words> lost = stored(step, result.stored(step));
        return lost.isPresent() || !isAsync ? lost.orElse(null) : awaited(step, attempt);
    }

    private JsonNode body(PlannedStep<I> step, int attempt) {
        boolean isAsync = step.kind() == PlannedStep.Kind.ASYNC;
        StepCode<I> body = Objects.requireNonNull(step.body());
        Map<String, JsonNode> put = step.fireAndForget() ? null : new LinkedHashMap<>();
        AttemptContext<I> context = scope.context(step, attempt, null, put);
        StepInvoker.Call call = new StepInvoker.Call(
                JournalNames.attempt(step.name(), attempt),
                context,
                step.deduped(),
                step.retry(),
                isAsync ? null : step.timeout(),
                isAsync ? SagaEvent.Kind.STEP_WAITING : SagaEvent.Kind.STEP_COMPLETED);
        return scope.bodies().call(call, () -> body.call(context));
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
            scope.tell(SagaEvent.Kind.STEP_WAITING, step, attempt, null, null);
        }
        Optional<Callback> said = lastCallback(step, attempt, step.timeout());
        if (said.isPresent()) {
            return heard(step, said.get());
        }
        StepError late = new StepError(StepError.TIMEOUT, "Nobody answered in time.");
        if (!run.isReplaying()) {
            scope.tell(SagaEvent.Kind.STEP_TIMEOUT, step, attempt, step.timeout(), late);
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
        String awaited = JournalNames.awaited(step, attempt);
        Instant now = run.now();
        Instant until = within == null ? null : now.plus(within);
        while (true) {
            Optional<Callback> said = said(awaited, left(now, until));
            if (said.isEmpty() || said.get().isLast()) {
                return said;
            }
            until = until == null ? null : until.plus(said.get().more());
            now = run.now();
        }
    }

    private Optional<Callback> said(String awaited, @Nullable Duration within) {
        try {
            return run.awaitReply(awaited, within, JsonNode.class).map(tree -> Callback.read(tree, tools.json()));
        } catch (StepFailedException unreadable) {
            return Optional.of(Callback.refused(new StepError(StepError.UNREADABLE, unreadable.why())));
        }
    }

    private static @Nullable Duration left(Instant now, @Nullable Instant until) {
        if (until == null) {
            return null;
        }
        Duration left = Duration.between(now, until);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
