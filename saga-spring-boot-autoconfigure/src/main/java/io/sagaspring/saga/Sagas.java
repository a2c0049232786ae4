package io.sagaspring.saga;

import io.sagaspring.run.NoSuchRunException;
import io.sagaspring.run.RunCount;
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
 * The API for starting sagas, and for querying and controlling their executions:
 *
 * <pre>{@code
 * SagaHandle checkout = sagas.start(CheckoutSaga.class, order);
 * sagas.signal(checkout.id(), "approval", decision);
 * SagaResult result = sagas.await(checkout.id(), Duration.ofSeconds(10));
 * }</pre>
 *
 * @since 0.1.0
 */
public final class Sagas {

    /** The maximum wait before the state of fire-and-forget steps is read again. */
    private static final Duration FIRE_AND_FORGET_POLL = Duration.ofMillis(100);

    private final Supplier<Engine> engine;

    /** The components that are created when this API is used for the first time. */
    private record Engine(
            RunEngine runEngine, SagaCatalog catalog, SagaTools tools, ExecutionReader histories, Callbacks callbacks) {

        static Engine of(SagaCode code, RunEngine runEngine) {
            Runs runs = runEngine.runs();
            SagaTools tools = code.tools();
            ExecutionReader histories =
                    new ExecutionReader(tools.runs(), code.catalog(), runs.payloads(), tools.json());
            return new Engine(runEngine, code.catalog(), tools, histories, new Callbacks(runs, histories, tools));
        }

        Runs runs() {
            return runEngine.runs();
        }
    }

    /**
     * Creates the API. The suppliers are called at the first use, so that the beans that make up the sagas can inject
     * this bean.
     *
     * @param code the supplier of the sagas
     * @param runs the supplier of the engine that executes them
     */
    public Sagas(Supplier<SagaCode> code, Supplier<RunEngine> runs) {
        this.engine = SingletonSupplier.of(() -> Engine.of(code.get(), runs.get()));
    }

    /**
     * Starts an execution. If you call this method inside a transaction, the execution starts only if that transaction
     * commits.
     *
     * @param saga the saga's class
     * @param input the execution's input
     * @return the new execution, or the existing one with the same idempotency key, in whatever state it is
     * @param <I> the type of the input
     * @throws io.sagaspring.run.RefusedValueException if the input is too large, or contains characters that cannot
     *     be stored
     * @throws io.sagaspring.payload.PayloadException if the type of the input cannot be stored or read back
     * @throws io.sagaspring.run.InvalidNameException if a label of the saga has a value that is not allowed
     */
    public <I> SagaHandle start(Class<? extends Saga<I>> saga, I input) {
        return start(saga, input, RunOptions.none());
    }

    /**
     * Starts an execution with options, such as a start time, a deadline or a queue. The idempotency key of the saga's
     * definition still applies, and so does its time-out, unless the options set a deadline. A step with {@code
     * fireAndForget()} is a separate run, outside the queue.
     *
     * @param saga the saga's class
     * @param input the execution's input
     * @param options the options
     * @return the new execution, or the existing one with the same idempotency key, in whatever state it is
     * @param <I> the type of the input
     * @throws IllegalArgumentException if the options have a key although the saga computes one from its input
     * @throws io.sagaspring.run.queue.NoSuchQueueException if the application does not declare the queue
     * @throws io.sagaspring.run.RefusedValueException if the input is too large, or contains characters that cannot
     *     be stored
     * @throws io.sagaspring.payload.PayloadException if the type of the input cannot be stored or read back
     */
    public <I> SagaHandle start(Class<? extends Saga<I>> saga, I input, RunOptions options) {
        SagaPlan<I> plan = planOf(saga);
        RunHandle<?> run = engine.get().runEngine().startCode(plan.type(), input, withKeyOf(plan, input, options));
        return new SagaHandle(run.id(), run.outcome());
    }

    private static <I> RunOptions withKeyOf(SagaPlan<I> plan, I input, RunOptions options) {
        String key = keyOf(plan, input);
        if (key != null && options.key() != null) {
            throw new IllegalArgumentException(
                    "The options have the key '%s', but saga '%s' computes its idempotency key from the input. Remove one of the two."
                            .formatted(options.key(), plan.name()));
        }
        if (key == null) {
            return options;
        }
        return plan.whileOpen() ? options.andKey(key).whileOpen() : options.andKey(key);
    }

    private static <I> @Nullable String keyOf(SagaPlan<I> plan, I input) {
        return plan.key() == null
                ? null
                : Objects.requireNonNull(
                        plan.key().apply(input),
                        () ->
                                "The idempotency key of saga '%s' is null for this input, so a repeated start could not be recognized. Return a key for every input."
                                        .formatted(plan.name()));
    }

    @SuppressWarnings("unchecked") // The class declares the type of the input.
    private <I> SagaPlan<I> planOf(Class<? extends Saga<I>> saga) {
        return (SagaPlan<I>) engine.get().catalog().of(saga);
    }

    /**
     * Waits until an execution has ended and none of its fire-and-forget steps is being executed or has yet to begin.
     * Each such step has then ended, or waits for its next attempt or for a person.
     *
     * @param id the execution's id
     * @param timeout the longest time to wait
     * @return the state of the execution, whether it has ended or not, and the values that its steps have stored
     * @throws NoSuchRunException if there is no such execution
     * @throws IllegalStateException if the calling thread is executing a run or a saga, and the timeout is
     *     positive. Instead, let the awaited execution send a signal to the caller's run, and wait for that
     *     signal.
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public SagaResult await(RunId id, Duration timeout) throws InterruptedException {
        long startedAt = System.nanoTime();
        Optional<Object> returned = engine.get().runEngine().awaitReturned(id, timeout);
        // The caller need not read the journal if this node has just executed the last step.
        if (returned.orElse(null) instanceof SagaResult result) {
            return result;
        }
        ExecutionHistory history = engine.get().histories().require(id);
        Duration remaining = timeout.minusNanos(System.nanoTime() - startedAt);
        while (history.state().isEnd()
                && !remaining.isNegative()
                && history.firing().isPresent()) {
            RunId firing = history.firing().orElseThrow();
            boolean unused = engine.get()
                    .runs()
                    .awaitEnd(firing, remaining.compareTo(FIRE_AND_FORGET_POLL) < 0 ? remaining : FIRE_AND_FORGET_POLL);
            history = engine.get().histories().require(id);
            remaining = timeout.minusNanos(System.nanoTime() - startedAt);
        }
        return history.result();
    }

    /**
     * Returns the stored state of an execution.
     *
     * @param id the execution's id
     * @return the execution, or empty if it is unknown, already deleted, or does not belong to a saga of this
     *     application
     */
    public Optional<ExecutionView> find(RunId id) {
        return engine.get().histories().find(id).map(ExecutionHistory::view);
    }

    /**
     * Returns executions, latest first, without their steps.
     *
     * @param query the filter and the page size
     * @return one page of executions
     */
    public List<ExecutionView> list(SagaQuery query) {
        return engine.get().tools().runs().list(runsOf(query)).stream()
                .map(ExecutionView::withoutSteps)
                .toList();
    }

    /**
     * Counts executions, up to {@value RunCount#MOST}.
     *
     * @param query the filter; its page size is ignored
     * @return the number of executions
     */
    public RunCount count(SagaQuery query) {
        return engine.get().runs().count(runsOf(query));
    }

    private RunQuery runsOf(SagaQuery query) {
        String name = engine.get().catalog().of(query.saga()).name();
        return query.ofRuns(name);
    }

    /**
     * Requests that an execution stops and compensates its steps. If this method is called several times, the first
     * reason is kept.
     *
     * @param id the execution's id
     * @param reason the reason, for display
     * @return false if the execution has already ended
     * @throws NoSuchRunException if there is no such execution
     */
    public boolean cancel(RunId id, String reason) {
        return engine.get().runs().cancel(id, reason);
    }

    /**
     * Continues an execution from the step or the compensation that failed, or from where it was parked or blocked. The
     * step or compensation may again be attempted as often as its policy allows. An execution that was compensated does
     * not continue: start a new one. A fire-and-forget step has its own run, which you retry separately: see
     * {@link StepView#run()}.
     *
     * @param id the execution's id
     * @return true if the execution continues
     * @throws io.sagaspring.run.KeyInUseException if another execution was started {@linkplain SagaDefinition#whileOpen with its key}, and
     *     has not ended
     */
    public boolean retry(RunId id) {
        return engine.get().runs().retry(id);
    }

    /**
     * Continues an execution, as {@link #retry(RunId)} does.
     *
     * @param id the execution's id
     * @param by the person or system that requests the retry, for the log
     * @return true if the execution continues
     */
    public boolean retry(RunId id, String by) {
        return engine.get().runs().retry(id, by);
    }

    /**
     * Ends an execution permanently without calling its code. Nothing is compensated. Use this method for an execution
     * that is blocked or parked, or that could not be compensated. Also use it for an execution whose code this node
     * does not have, if no node executes that execution.
     *
     * @param id the execution's id
     * @param by the person or system that gives it up, for the log, the error and the reason for the cancellation
     * @return true if the execution was given up
     * @throws NoSuchRunException if there is no such execution
     */
    public boolean giveUp(RunId id, String by) {
        return engine.get().runs().giveUp(id, by);
    }

    /**
     * Sends a signal to an execution. A wait receives one signal, which may also arrive before the wait begins.
     *
     * @param id the execution's id
     * @param signal the name of the wait that receives the signal
     * @param value the value to store under the name of the wait, or under the key that {@code storeResultAs} sets;
     *     null stores nothing
     * @return the result: accepted, repeated, or too late
     * @throws NoSuchRunException if there is no such execution
     * @throws IllegalArgumentException if the saga has no wait with this name
     */
    public SignalResult signal(RunId id, String signal, @Nullable Object value) {
        return signal(id, signal, UUID.randomUUID().toString(), value);
    }

    /**
     * Sends a signal to an execution, at most once for each key. A wait receives one signal, which may also arrive
     * before the wait begins.
     *
     * @param id the execution's id
     * @param signal the name of the wait that receives the signal
     * @param key the signal's key; use the same key when you send the signal again
     * @param value the value to store under the name of the wait, or under the key that {@code storeResultAs} sets;
     *     null stores nothing
     * @return the result: accepted, repeated, or too late
     * @throws NoSuchRunException if there is no such execution
     * @throws IllegalArgumentException if the saga has no wait with this name
     */
    public SignalResult signal(RunId id, String signal, String key, @Nullable Object value) {
        ExecutionHistory history = engine.get().histories().require(id);
        PlannedStep<?> step = history.plan().require(signal, PlannedStep.Kind.SIGNAL);
        Callbacks callbacks = engine.get().callbacks();
        return history.isSkipped(step)
                ? SignalResult.TOO_LATE
                : callbacks.reply(callback(history, step), key, Callback.completed(callbacks.tree(value)));
    }

    /**
     * Returns the callback of the latest attempt of an asynchronous step. If no attempt has started, or the latest has
     * failed and another will follow, returns the callback of the next attempt. This method requires no token, so call
     * it only for trusted callers.
     *
     * @param id the execution's id
     * @param step the step's name
     * @return the callback, which completes or fails the step
     * @throws NoSuchRunException if there is no such execution
     * @throws IllegalArgumentException if the saga has no asynchronous step with this name
     */
    public StepCallback callback(RunId id, String step) {
        ExecutionHistory history = engine.get().histories().require(id);
        return callback(history, history.plan().require(step, PlannedStep.Kind.ASYNC));
    }

    private StepCallback callback(ExecutionHistory history, PlannedStep<?> step) {
        return callback(history, step, history.of(step).openAttempt());
    }

    private StepCallback callback(ExecutionHistory history, PlannedStep<?> step, int attempt) {
        return new StepCallback(engine.get().callbacks(), AddressedExecution.of(history), step, attempt);
    }

    /**
     * Returns the callback to which a token belongs. Use this method for a request from outside.
     *
     * @param id the execution's id, as contained in the request
     * @param step the step's name, as contained in the request
     * @param token the token that the request presents, or null
     * @return the callback, which completes or fails the step
     * @throws NoSuchCallbackException if the token does not belong to an attempt of this step
     */
    public StepCallback callback(String id, String step, @Nullable String token) {
        if (token == null) {
            throw new NoSuchCallbackException();
        }
        AddressedExecution addressed =
                RunId.find(id).flatMap(engine.get().histories()::address).orElseThrow(NoSuchCallbackException::new);
        PlannedStep<?> planned =
                addressed.plan().find(step, PlannedStep.Kind.ASYNC).orElseThrow(NoSuchCallbackException::new);
        if (CallbackTokens.isUnnumbered(token)) {
            return callbackOfUnnumbered(token, addressed.history().get(), planned);
        }
        int attempt = engine.get()
                .tools()
                .tokens()
                .attemptOf(token, addressed.row().id().toString(), planned.name())
                .orElseThrow(NoSuchCallbackException::new);
        return new StepCallback(engine.get().callbacks(), addressed, planned, attempt);
    }

    /** Finds the attempt of a token that an earlier version of this library has made. */
    private StepCallback callbackOfUnnumbered(String token, ExecutionHistory history, PlannedStep<?> planned) {
        for (int attempt = history.of(planned).attempt() + 1; attempt > 0; attempt--) {
            if (engine.get().tools().tokens().isValid(token, history.id().toString(), planned.name(), attempt)) {
                return callback(history, planned, attempt);
            }
        }
        throw new NoSuchCallbackException();
    }

    /**
     * Returns the callback of the attempt whose code has recorded an external id with {@link StepContext#correlate}. If
     * several steps have recorded the id, those of ended executions are ignored, unless all of these executions have
     * ended.
     *
     * @param externalId the id that another system has given to the work
     * @return the callback, which completes or fails the step
     * @throws io.sagaspring.run.InvalidNameException if the id is blank, has over 500 characters, or contains a
     *     character that cannot be stored; no execution can have recorded such an id
     * @throws NoSuchCallbackException if no execution has recorded the id
     * @throws IllegalStateException if several steps remain, so that the id is ambiguous
     */
    public StepCallback correlated(String externalId) {
        JournalNames.requireExternalId(externalId);
        List<StepCallback> found = engine.get().tools().runs().notes(JournalNames.CORRELATION, externalId).stream()
                .flatMap(note -> callbackOf(note).stream())
                .toList();
        List<StepCallback> open = found.stream().filter(each -> !each.isOver()).toList();
        List<StepCallback> candidates = open.isEmpty() ? found : open;
        if (candidates.stream().map(StepCallback::toString).distinct().count() > 1) {
            throw new IllegalStateException(
                    "The external id '%s' is ambiguous: %s have recorded it. Correlate with an id that is used only once."
                            .formatted(externalId, candidates));
        }
        return candidates.stream().findFirst().orElseThrow(NoSuchCallbackException::new);
    }

    private Optional<StepCallback> callbackOf(RunInbox.Note note) {
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
