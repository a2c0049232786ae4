package io.sagaspring.saga;

import io.sagaspring.run.CompensationFailedException;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunStoppedException;
import io.sagaspring.run.Step;
import io.sagaspring.run.StepFailedException;
import io.sagaspring.saga.PlannedStep.Kind;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** One execution of a saga, as it is driven once: forward through its steps, or back through what was done. */
final class Execution<I> {

    private final Plan<I> plan;
    private final SagaRun.Tools tools;
    private final RunContext run;
    private final I input;
    private final Logger log;
    private final Values values = new Values();

    /** What may have taken effect, the latest first. */
    private final Deque<Done<I>> done = new ArrayDeque<>();

    Execution(Plan<I> plan, SagaRun.Tools tools, RunContext run, I input) {
        this.plan = plan;
        this.tools = tools;
        this.run = run;
        this.input = input;
        this.log = LoggerFactory.getLogger("io.sagaspring.saga." + plan.name());
    }

    /**
     * A step that may have taken effect.
     *
     * @param step which
     * @param result what it returned; of an asynchronous one, what its initiation returned
     */
    private record Done<I>(PlannedStep<I> step, @Nullable JsonNode result) {}

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
        } catch (Exhausted failed) {
            undo();
            throw new SagaFailedException(failed.step, failed.error);
        }
    }

    private boolean isRun(PlannedStep<I> step) {
        Predicate<StepContext<I>> condition = step.condition();
        if (condition == null) {
            return true;
        }
        return run.step(
                Ids.condition(step.name()), Boolean.class, () -> condition.test(context(step, step.name(), 1, null)));
    }

    private void forward(PlannedStep<I> step) throws Exhausted {
        try {
            switch (step.kind()) {
                case SYNC -> store(step, doneOf(step));
                case ASYNC -> store(step, calledBack(step));
                case SIGNAL -> store(step, signalled(step));
            }
        } catch (Exhausted failed) {
            if (!step.forgotten()) {
                throw failed;
            }
        }
    }

    private void store(PlannedStep<I> step, @Nullable JsonNode result) {
        values.add(step, Values.of(step, result));
    }

    private @Nullable JsonNode doneOf(PlannedStep<I> step) throws Exhausted {
        StepBody<I> body = Objects.requireNonNull(step.body());
        for (int attempt = 1; ; attempt++) {
            try {
                JsonNode result = attempt(step, attempt, body);
                done.push(new Done<>(step, result));
                return result;
            } catch (StepFailedException failed) {
                pauseOrGiveUp(step, attempt, StepFailure.wordsOf(failed, tools.json()));
            } catch (RunStoppedException stopped) {
                if (stopped.mayHaveBegun()) {
                    done.push(new Done<>(step, null));
                }
                throw stopped;
            }
        }
    }

    private void pauseOrGiveUp(PlannedStep<I> step, int attempt, StepFailure.Words failed) throws Exhausted {
        if (!failed.retried() || !step.retry().allowsAfter(attempt)) {
            if (failed.maybe()) {
                done.push(new Done<>(step, null));
            }
            throw new Exhausted(step.name(), failed.error());
        }
        try {
            pause(step.name(), attempt, step.retry());
        } catch (RunStoppedException stopped) {
            if (failed.maybe()) {
                done.push(new Done<>(step, null));
            }
            throw stopped;
        }
    }

    private void pause(String id, int attempt, Retry retry) {
        Duration pause = retry.pauseAfter(attempt, run.random());
        if (!pause.isZero()) {
            run.sleep(Ids.pauseBefore(id, attempt + 1), pause);
        }
    }

    private @Nullable JsonNode attempt(PlannedStep<I> step, int attempt, StepBody<I> body) {
        Step id = Step.of(Ids.attempt(step.name(), attempt));
        Callable<@Nullable JsonNode> guarded =
                guarded(step.retry(), step.kind() == Kind.ASYNC ? null : step.timeout(), () -> {
                    JsonNode result = tools.json().tree(body.call(context(step, step.name(), attempt, null)));
                    requireOwnKeys(step, result);
                    return result;
                });
        return (JsonNode)
                (step.deduped()
                        ? run.transactionalStep(id, (Type) JsonNode.class, guarded)
                        : run.step(id, (Type) JsonNode.class, guarded));
    }

    private void requireOwnKeys(PlannedStep<I> step, @Nullable JsonNode result) throws StepFailure {
        Optional<String> taken = values.taken(step, Values.of(step, result));
        if (taken.isPresent()) {
            String message =
                    "It stores '%s', which is what step '%s' has stored. Say storeResultAs, or name it otherwise."
                            .formatted(taken.get(), values.owner(taken.get()));
            throw new StepFailure(
                    new StepFailure.Words(new StepError("context", message), false, true), tools.json(), null);
        }
    }

    private Callable<@Nullable JsonNode> guarded(
            Retry retry, @Nullable Duration timeout, Callable<@Nullable JsonNode> work) {
        return () -> {
            try {
                return tools.timeouts().within(timeout, work);
            } catch (StepFailure failure) {
                throw failure;
            } catch (VirtualMachineError fatal) {
                throw fatal;
            } catch (Throwable failed) {
                boolean late = failed instanceof TimeoutException;
                StepError error = new StepError(
                        late ? StepError.TIMEOUT : failed.getClass().getName(), failed.getMessage());
                throw new StepFailure(new StepFailure.Words(error, retry.covers(failed), late), tools.json(), failed);
            }
        };
    }

    private @Nullable JsonNode calledBack(PlannedStep<I> step) throws Exhausted {
        StepBody<I> body = Objects.requireNonNull(step.body());
        for (int attempt = 1; ; attempt++) {
            StepFailure.Words failed;
            try {
                JsonNode initiated = attempt(step, attempt, body);
                done.push(new Done<>(step, initiated));
                values.add(step, Values.of(step, initiated));
                StepError error;
                Answer answer = answer(step, attempt);
                if (answer.error() == null) {
                    return answer.payload();
                }
                error = answer.error();
                failed = new StepFailure.Words(error, true, false);
            } catch (StepFailedException notInitiated) {
                failed = StepFailure.wordsOf(notInitiated, tools.json());
            } catch (RunStoppedException stopped) {
                if (stopped.mayHaveBegun()) {
                    done.push(new Done<>(step, null));
                }
                throw stopped;
            }
            pauseOrGiveUp(step, attempt, failed);
        }
    }

    private record Answer(
            @Nullable JsonNode payload, @Nullable StepError error) {}

    private Answer answer(PlannedStep<I> step, int attempt) {
        String signal = Ids.callback(step.name(), attempt);
        Instant until = step.timeout() == null ? null : run.now().plus(step.timeout());
        while (true) {
            Optional<Callback> said = until == null
                    ? Optional.of(run.awaitSignal(signal, Callback.class))
                    : run.awaitSignal(signal, left(until), Callback.class);
            if (said.isEmpty()) {
                return new Answer(null, new StepError(StepError.TIMEOUT, "Nobody called back in time."));
            }
            switch (said.get().kind()) {
                case COMPLETED -> {
                    return new Answer(said.get().payload(), null);
                }
                case FAILED -> {
                    return new Answer(null, said.get().error());
                }
                case EXTENDED -> {
                    Duration by = Objects.requireNonNull(said.get().by());
                    until = until == null ? null : until.plus(by);
                }
            }
        }
    }

    private Duration left(Instant until) {
        Duration left = Duration.between(run.now(), until);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private @Nullable JsonNode signalled(PlannedStep<I> step) throws Exhausted {
        if (step.timeout() == null) {
            return run.awaitSignal(step.name(), JsonNode.class);
        }
        return run.awaitSignal(step.name(), step.timeout(), JsonNode.class)
                .orElseThrow(() ->
                        new Exhausted(step.name(), new StepError(StepError.TIMEOUT, "Nobody signalled in time.")));
    }

    /** The latest first. Each is undone once, however often it was begun: its effects have one key. */
    private void undo() throws SagaFailedException {
        run.compensating();
        String before = "";
        while (!done.isEmpty()) {
            Done<I> each = done.pop();
            if (each.step().undo() != null && !each.step().name().equals(before)) {
                undo(each.step(), each.step().undo(), each.result());
            }
            before = each.step().name();
        }
    }

    private void undo(PlannedStep<I> step, StepUndo<I> undo, @Nullable JsonNode result) {
        String id = Ids.undo(step.name());
        for (int attempt = 1; ; attempt++) {
            int number = attempt;
            try {
                Object unused = run.step(
                        Step.of(Ids.attempt(id, attempt)),
                        (Type) JsonNode.class,
                        guarded(step.undoRetry(), null, () -> {
                            undo.undo(context(step, id, number, result));
                            return null;
                        }));
                return;
            } catch (StepFailedException failed) {
                StepFailure.Words words = StepFailure.wordsOf(failed, tools.json());
                if (!words.retried() || !step.undoRetry().allowsAfter(attempt)) {
                    throw new CompensationFailedException(
                            "Step '%s' could not be undone: %s".formatted(step.name(), words.error()), failed);
                }
                pause(id, attempt, step.undoRetry());
            }
        }
    }

    private StepContext<I> context(PlannedStep<I> step, String id, int attempt, @Nullable JsonNode result) {
        return new ContextOfStep<>(
                input,
                run.runId().toString(),
                step,
                attempt,
                Ids.effectKey(run.runId().toString(), id),
                values,
                result,
                tools,
                log);
    }

    /** A step failed for good. */
    private static final class Exhausted extends Exception {

        private static final long serialVersionUID = 1L;

        private final String step;
        private final transient StepError error;

        Exhausted(String step, StepError error) {
            super(step, null, false, false);
            this.step = step;
            this.error = error;
        }
    }
}
