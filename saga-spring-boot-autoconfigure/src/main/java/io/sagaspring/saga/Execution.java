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

/**
 * Executes the steps of an execution in order. After a failure or a cancellation, calls {@linkplain Compensation their
 * compensations}. A new instance is created each time a node executes the run.
 */
final class Execution<I> {

    private final ExecutionScope<I> scope;
    private final SagaPlan<I> plan;
    private final SagaTools tools;
    private final RunContext run;
    private final StepValues values;

    /** The steps that took effect, or may have, without duplicates, latest first. */
    private final Deque<Done<I>> done = new ArrayDeque<>();

    Execution(SagaPlan<I> plan, SagaTools tools, RunContext run, I input) {
        this(new ExecutionScope<>(plan, tools, run, input, run.runId()));
    }

    /** Creates the execution of one fire-and-forget step. The saga itself continues in the meantime. */
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

    /**
     * Executes all steps. Returns null if the execution has fire-and-forget steps: a caller that waits for its end must
     * read them.
     *
     * @param definition the name of the definition in the journal
     */
    @Nullable
    SagaResult run(String definition) throws SagaFailedException {
        try {
            run.follow(definition);
            for (PlannedStep<I> step : plan.steps()) {
                if (isToBeExecuted(step)) {
                    if (step.fireAndForget()) {
                        fire(step);
                    } else {
                        forward(step);
                    }
                }
            }
            run.ending();
            boolean hasFired = plan.steps().stream().anyMatch(PlannedStep::fireAndForget);
            return hasFired ? null : SagaResult.completed(scope.id(), values, tools.json());
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

    /** Executes only the given step. If it fails, nothing is compensated. A retry of the run continues the step. */
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
            throw failedOutsideCode(step, fired, failed);
        }
    }

    /**
     * Handles a failure outside a step's code, for example in its condition. If a completed step has a compensation,
     * the execution is compensated. Otherwise the failure ends the run, and a retry of the execution calls the failed
     * part again.
     */
    private GivenUp failedOutsideCode(PlannedStep<I> step, String id, StepFailedException failed) {
        if (!isToBeCompensated()) {
            throw failed;
        }
        StepError error = StepFailure.reportOf(failed, tools.json()).error();
        Decision unused = scope.decision(id, 1, new Decision(Decision.Next.UNDO, null, error, run.retries()));
        return new GivenUp(step.name(), error, true, failed.getCause());
    }

    private boolean isToBeExecuted(PlannedStep<I> step) throws GivenUp {
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
            throw failedOutsideCode(step, JournalNames.condition(step.name()), failed);
        }
    }

    /**
     * Executes a step in numbered attempts: as many as its policy allows, and as many again after each retry of the
     * execution.
     */
    private void forward(PlannedStep<I> step) throws GivenUp {
        int before = 0;
        for (int attempt = 1; ; attempt++) {
            StepFailure.Report failed = attempt(step, attempt);
            if (failed == null) {
                return;
            }
            Decision decision = scope.decision(step.name(), attempt, decide(step, attempt - before, failed));
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

    private Decision decide(PlannedStep<I> step, int attempts, StepFailure.Report failed) {
        if (failed.retried() && step.retry().allowsAfter(attempts)) {
            return Decision.again(failed.pauseBy(step.retry(), attempts, run.random()), failed.error());
        }
        Decision.Next next = isToBeCompensated() ? Decision.Next.UNDO : Decision.Next.GIVE_UP;
        return new Decision(next, null, failed.error(), run.retries());
    }

    private boolean isToBeCompensated() {
        return done.stream().anyMatch(each -> each.step().compensation() != null);
    }

    /** Executes one attempt. Returns the failure, or null if the step has completed. */
    private StepFailure.@Nullable Report attempt(PlannedStep<I> step, int attempt) {
        return step.kind() == PlannedStep.Kind.SIGNAL ? awaitCallback(step, attempt) : callCode(step, attempt);
    }

    private StepFailure.@Nullable Report callCode(PlannedStep<I> step, int attempt) {
        boolean isAsync = step.kind() == PlannedStep.Kind.ASYNC;
        StepResult result;
        try {
            result = StepResult.of(executeCode(step, attempt));
        } catch (StepFailedException thrown) {
            StepFailure.Report failed = StepFailure.reportOf(thrown, tools.json());
            if (failed.maybe()) {
                recordPossibleEffect(step);
            }
            // The system that the code called may have called back before the code failed.
            Optional<Callback> callback = isAsync ? earlyCallback(step, attempt) : Optional.empty();
            return callback.isPresent() ? outcomeOf(step, callback.get()) : failed;
        } catch (RunStoppedException stopped) {
            if (stopped.mayHaveBegun()) {
                recordPossibleEffect(step);
                if (isAsync) {
                    Optional<Callback> unused = earlyCallback(step, attempt);
                }
            }
            throw stopped;
        }
        recordEffect(new Done<>(step, result.value(), true));
        Optional<StepFailure.Report> clash = store(step, result.stored(step));
        if (clash.isPresent()) {
            return clash.get();
        }
        setLabels(result.output().labels());
        return isAsync ? awaitCallback(step, attempt) : null;
    }

    private JsonNode executeCode(PlannedStep<I> step, int attempt) {
        boolean isAsync = step.kind() == PlannedStep.Kind.ASYNC;
        StepCode<I> code = Objects.requireNonNull(step.code());
        StepOutput output = step.fireAndForget() ? null : StepOutput.begun();
        AttemptContext<I> context = scope.context(step, attempt, null, output);
        StepInvoker.Call call = new StepInvoker.Call(
                JournalNames.attempt(step.name(), attempt),
                context,
                step.deduped(),
                step.retry(),
                isAsync ? null : step.timeout(),
                isAsync ? SagaEvent.Kind.STEP_WAITING : SagaEvent.Kind.STEP_COMPLETED);
        return scope.invoker().call(call, () -> code.call(context));
    }

    /**
     * Records that a step may have taken effect. For a deduped step this is not needed: its transaction was rolled
     * back, so it had no effect.
     */
    private void recordPossibleEffect(PlannedStep<I> step) {
        if (!step.deduped()) {
            recordEffect(new Done<>(step, null, false));
        }
    }

    /**
     * Records the effect of an attempt. If it is unknown whether a later attempt took effect, the known effect of an
     * earlier attempt is kept.
     */
    private void recordEffect(Done<I> effect) {
        Done<I> before = done.peek();
        boolean isSame =
                before != null && before.step().name().equals(effect.step().name());
        if (!isSame) {
            done.push(effect);
        } else if (effect.isKnown()) {
            done.pop();
            done.push(effect);
        }
    }

    /** Stores values in the context, or returns a failure if a value would overwrite another step's value. */
    private Optional<StepFailure.Report> store(PlannedStep<I> step, Map<String, JsonNode> added) {
        Optional<String> conflict = values.conflictingKey(step, added);
        if (conflict.isEmpty()) {
            values.add(step, added);
            return Optional.empty();
        }
        String message =
                "The step stores a value under '%s', but step '%s' has already stored one there. Use storeResultAs or another key."
                        .formatted(conflict.get(), values.owner(conflict.get()));
        return Optional.of(new StepFailure.Report(new StepError(StepError.CONTEXT, message), false, false));
    }

    /** Sets the labels of a step that has returned. On a replay, these are the recorded labels, because the code is not called. */
    private void setLabels(Map<String, String> labels) {
        values.labels().putAll(labels);
        labels.forEach(run::label);
    }

    private Optional<Callback> earlyCallback(PlannedStep<I> step, int attempt) {
        Optional<Callback> callback = lastCallback(step, attempt, Duration.ZERO);
        callback.ifPresent(unused -> recordEffect(new Done<>(step, null, false)));
        return callback;
    }

    private StepFailure.@Nullable Report awaitCallback(PlannedStep<I> step, int attempt) {
        if (step.kind() == PlannedStep.Kind.SIGNAL && !run.isReplaying()) {
            scope.publish(SagaEvent.Kind.STEP_WAITING, step, attempt, null, null);
        }
        Optional<Callback> callback = lastCallback(step, attempt, step.timeout());
        if (callback.isPresent()) {
            return outcomeOf(step, callback.get());
        }
        StepError late = new StepError(StepError.TIMEOUT, "No callback or signal arrived in time.");
        if (!run.isReplaying()) {
            scope.publish(SagaEvent.Kind.STEP_TIMEOUT, step, attempt, step.timeout(), late);
        }
        return new StepFailure.Report(late, true, false);
    }

    private StepFailure.@Nullable Report outcomeOf(PlannedStep<I> step, Callback callback) {
        return switch (callback.kind()) {
            case FAILED -> new StepFailure.Report(callback.requireError(), true, false);
            case REFUSED -> new StepFailure.Report(callback.requireError(), false, false);
            default -> store(step, step.storedOfCallback(callback.payload())).orElse(null);
        };
    }

    /** Returns the callback that ends the wait, or empty if none arrives in time. */
    private Optional<Callback> lastCallback(PlannedStep<I> step, int attempt, @Nullable Duration within) {
        String awaited = JournalNames.awaited(step, attempt);
        Instant now = run.now();
        Instant until = within == null ? null : now.plus(within);
        while (true) {
            Optional<Callback> callback = nextCallback(awaited, remaining(now, until));
            if (callback.isEmpty() || callback.get().endsWait()) {
                return callback;
            }
            until = until == null ? null : until.plus(callback.get().extension());
            now = run.now();
        }
    }

    private Optional<Callback> nextCallback(String awaited, @Nullable Duration within) {
        try {
            return run.awaitReply(awaited, within, JsonNode.class).map(tree -> Callback.read(tree, tools.json()));
        } catch (StepFailedException unreadable) {
            return Optional.of(Callback.refused(new StepError(StepError.UNREADABLE, unreadable.why())));
        }
    }

    private static @Nullable Duration remaining(Instant now, @Nullable Instant until) {
        if (until == null) {
            return null;
        }
        Duration remaining = Duration.between(now, until);
        return remaining.isNegative() ? Duration.ZERO : remaining;
    }
}
