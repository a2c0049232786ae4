package io.sagaspring.saga;

import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.Runs;
import io.sagaspring.run.SignalResult;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Starts sagas, and all that can be said to their executions or asked about them:
 *
 * <pre>{@code
 * SagaHandle checkout = sagas.start(CheckoutSaga.class, order);
 * sagas.signal(checkout.id(), "approval", decision);
 * ExecutionView seen = sagas.await(checkout.id(), Duration.ofSeconds(10));
 * }</pre>
 *
 * @since 0.1.0
 */
public final class Sagas {

    /** Until it is looked again whether a step that is fired and forgotten is at work. */
    private static final Duration FIRING = Duration.ofMillis(100);

    private final Supplier<Engine> engine;

    /** What there is when the application has started. */
    private record Engine(
            RunEngine runEngine, SagaCatalog catalog, SagaTools tools, ExecutionReader histories, Callbacks callbacks) {

        static Engine of(SagaCode code, RunEngine runEngine) {
            Runs runs = runEngine.runs();
            SagaTools tools = code.tools();
            ExecutionReader histories =
                    new ExecutionReader(tools.store(), code.catalog(), runs.payloads(), tools.json());
            return new Engine(runEngine, code.catalog(), tools, histories, new Callbacks(runs, histories, tools));
        }

        Runs runs() {
            return runEngine.runs();
        }
    }

    /**
     * What starts sagas. It asks for them when it is first used, so that the beans of which they are made may have it.
     *
     * @param code the sagas
     * @param runs executes this code
     */
    public Sagas(Supplier<SagaCode> code, Supplier<RunEngine> runs) {
        this.engine = SingletonSupplier.of(() -> Engine.of(code.get(), runs.get()));
    }

    /**
     * Starts an execution, in the transaction of the caller if there is one: nothing is started if that rolls back.
     *
     * @param saga which
     * @param input what it is given
     * @return the execution, or the one that has its key, as it is
     * @param <I> what it is given
     * @throws io.sagaspring.run.RefusedValueException if the input is too large, or holds what cannot be stored
     * @throws io.sagaspring.payload.PayloadException if the type of the input cannot be stored or read back
     */
    public <I> SagaHandle start(Class<? extends Saga<I>> saga, I input) {
        SagaPlan<I> plan = planOf(saga);
        RunHandle<?> run = engine.get()
                .runEngine()
                .startCode(plan.type(), input, new RunOptions(keyOf(plan, input), plan.timeout()));
        return new SagaHandle(run.id(), run.isNew());
    }

    private static <I> @Nullable String keyOf(SagaPlan<I> plan, I input) {
        return plan.key() == null
                ? null
                : Objects.requireNonNull(
                        plan.key().apply(input),
                        () ->
                                "The idempotency key of saga '%s' is null for this input: nothing would tell a repetition."
                                        .formatted(plan.name()));
    }

    @SuppressWarnings("unchecked") // The class says what its executions are given.
    private <I> SagaPlan<I> planOf(Class<? extends Saga<I>> saga) {
        return (SagaPlan<I>) engine.get().catalog().of(saga);
    }

    /**
     * Waits until an execution is over, and its steps that are fired and forgotten are not at work: they have ended, or wait for
     * their next attempt.
     *
     * @param id which
     * @param patience for how long
     * @return it as it is then, over or not
     * @throws NoSuchRunException if there is none
     * @throws IllegalStateException if the calling thread executes a run or a saga: have the other one signal this one, and
     *     wait for that
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public ExecutionView await(RunId id, Duration patience) throws InterruptedException {
        long begun = System.nanoTime();
        boolean isOver = engine.get().runs().awaitEnd(id, patience);
        ExecutionHistory history = engine.get().histories().require(id);
        Duration left = patience.minusNanos(System.nanoTime() - begun);
        while (isOver && !left.isNegative() && history.firing().isPresent()) {
            RunId firing = history.firing().orElseThrow();
            boolean unused = engine.get().runs().awaitEnd(firing, left.compareTo(FIRING) < 0 ? left : FIRING);
            history = engine.get().histories().require(id);
            left = patience.minusNanos(System.nanoTime() - begun);
        }
        return history.view();
    }

    /**
     * An execution as it is durable.
     *
     * @param id which
     * @return empty if there is none, or no longer, or of no saga of this application
     */
    public Optional<ExecutionView> find(RunId id) {
        return engine.get().histories().find(id).map(ExecutionHistory::view);
    }

    /**
     * Executions, latest first, without their steps.
     *
     * @param query which
     * @return a page of them
     */
    public List<ExecutionView> list(SagaQuery query) {
        String name = engine.get().catalog().of(query.saga()).name();
        return engine
                .get()
                .tools()
                .store()
                .list(new RunQuery(name, query.states(), query.before(), query.limit()))
                .stream()
                .map(ExecutionHistory::withoutSteps)
                .toList();
    }

    /**
     * Asks an execution to stop, and to undo what it did. The first reason stays.
     *
     * @param id which
     * @param reason why
     * @return false if it is over
     * @throws NoSuchRunException if there is none
     */
    public boolean cancel(RunId id, String reason) {
        return engine.get().runs().cancel(id, reason);
    }

    /**
     * Has an execution go on from the step that failed, with as many attempts as its policy says, or from the undo that failed,
     * or from where it was parked or blocked. One that was undone does not go on: start another one. A step that is fired and
     * forgotten is retried by its run: {@link StepView#run()}.
     *
     * @param id which
     * @return whether it goes on
     */
    public boolean retry(RunId id) {
        return engine.get().runs().retry(id);
    }

    /**
     * Has an execution go on, as {@link #retry(RunId)} does.
     *
     * @param id which
     * @param by who has it retried, for the log
     * @return whether it goes on
     */
    public boolean retry(RunId id, String by) {
        return engine.get().runs().retry(id, by);
    }

    /**
     * Ends an execution for good without its code, and compensates nothing. This is for one that is blocked, parked or could not be
     * compensated, and for one whose code this node does not have.
     *
     * @param id the execution's id
     * @param by who gives it up, for the log, the error and the reason of the cancellation
     * @return whether it was given up
     * @throws NoSuchRunException if there is none
     */
    public boolean giveUp(RunId id, String by) {
        return engine.get().runs().giveUp(id, by);
    }

    /**
     * Signals.
     *
     * @param id to which execution
     * @param signal the name of the wait
     * @param value stored under its name, or where {@code storeResultAs} says; null stores nothing
     * @return what became of it: one signal is given to the wait, however early it comes
     * @throws NoSuchRunException if there is none
     * @throws IllegalArgumentException if the saga does not wait for it
     */
    public SignalResult signal(RunId id, String signal, @Nullable Object value) {
        return signal(id, signal, UUID.randomUUID().toString(), value);
    }

    /**
     * Signals, once for a key.
     *
     * @param id to which execution
     * @param signal the name of the wait
     * @param key the same for each repetition
     * @param value stored under its name, or where {@code storeResultAs} says; null stores nothing
     * @return what became of it: one signal is given to the wait, however early it comes
     * @throws NoSuchRunException if there is none
     * @throws IllegalArgumentException if the saga does not wait for it
     */
    public SignalResult signal(RunId id, String signal, String key, @Nullable Object value) {
        ExecutionHistory history = engine.get().histories().require(id);
        PlannedStep<?> step = history.plan().require(signal, PlannedStep.Kind.SIGNAL);
        Callbacks callbacks = engine.get().callbacks();
        return history.isSkipped(step)
                ? SignalResult.TOO_LATE
                : callbacks.answer(callback(history, step), key, Callback.completed(callbacks.tree(value)));
    }

    /**
     * The attempt that an asynchronous step is in, or begins with, for who may say what becomes of it.
     *
     * @param id of which execution
     * @param step its name
     * @return to say it
     * @throws NoSuchRunException if there is none
     * @throws IllegalArgumentException if the saga has no such asynchronous step
     */
    public StepCallback callback(RunId id, String step) {
        ExecutionHistory history = engine.get().histories().require(id);
        return callback(history, history.plan().require(step, PlannedStep.Kind.ASYNC));
    }

    private StepCallback callback(ExecutionHistory history, PlannedStep<?> step) {
        return callback(history, step, history.of(step).openAttempt());
    }

    private StepCallback callback(ExecutionHistory history, PlannedStep<?> step, int attempt) {
        return new StepCallback(engine.get().callbacks(), history, step, attempt);
    }

    /**
     * The attempt to which a token belongs, for who comes from outside.
     *
     * @param id of which execution, as it was said
     * @param step its name, as it was said
     * @param token what was shown, or null
     * @return to say what becomes of it
     * @throws NoSuchCallbackException if the token is not the one of such an attempt
     */
    public StepCallback callback(String id, String step, @Nullable String token) {
        if (token == null) {
            throw new NoSuchCallbackException();
        }
        ExecutionHistory history =
                RunId.find(id).flatMap(engine.get().histories()::find).orElseThrow(NoSuchCallbackException::new);
        PlannedStep<?> planned =
                history.plan().find(step, PlannedStep.Kind.ASYNC).orElseThrow(NoSuchCallbackException::new);
        for (int attempt = history.of(planned).attempt() + 1; attempt > 0; attempt--) {
            if (engine.get().tools().tokens().isValid(token, history.id().toString(), planned.name(), attempt)) {
                return callback(history, planned, attempt);
            }
        }
        throw new NoSuchCallbackException();
    }

    /**
     * The attempt that has noted a number in its body: {@link StepContext#correlate}.
     *
     * @param externalId the number that somebody else has given it
     * @return to say what becomes of it
     * @throws io.sagaspring.run.InvalidNameException if no execution can have noted it: it is blank, has over 500 characters, or
     *     one that cannot be stored
     * @throws NoSuchCallbackException if no execution has noted it
     * @throws IllegalStateException if several steps have that are not over, so that nobody knows which one is meant
     */
    public StepCallback correlated(String externalId) {
        JournalNames.requireExternalId(externalId);
        List<StepCallback> found = engine.get().tools().store().notes(JournalNames.CORRELATION, externalId).stream()
                .flatMap(note -> noted(note).stream())
                .toList();
        List<StepCallback> open = found.stream().filter(each -> !each.isOver()).toList();
        List<StepCallback> meant = open.isEmpty() ? found : open;
        if (meant.stream().map(StepCallback::toString).distinct().count() > 1) {
            throw new IllegalStateException(
                    "Several steps are correlated with '%s': %s. Correlate with what is given once."
                            .formatted(externalId, meant));
        }
        return meant.stream().findFirst().orElseThrow(NoSuchCallbackException::new);
    }

    private Optional<StepCallback> noted(RunInbox.Note note) {
        String[] attemptAndStep =
                note.name().substring(JournalNames.CORRELATION.length()).split(":", 2);
        return engine.get()
                .histories()
                .find(note.id())
                .flatMap(history -> history.plan()
                        .find(attemptAndStep[1], PlannedStep.Kind.ASYNC)
                        .map(step -> callback(history, step, Integer.parseInt(attemptAndStep[0]))));
    }
}
