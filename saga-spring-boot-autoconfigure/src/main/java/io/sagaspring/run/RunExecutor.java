package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.tenant.TenantUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Picks up runs and executes them: calls the code of a run and stores the result. */
final class RunExecutor implements Pickup.Source<PickedUpRun> {

    private static final ThreadLocal<RunId> executing = new ThreadLocal<>();

    private static final Logger logger = LoggerFactory.getLogger(RunExecutor.class);

    private final RunStore store;
    private final RunCatalog catalog;
    private final ReplayingRunContext.Services services;
    private final CarriedContext carriedContext;
    private final Options options;
    private final ThisNode node;
    private final RunNotifier notifier;
    /**
     * Picked-up runs that belong to a tenant and about which no listener has been notified yet. The thread that
     * executes the run notifies the listeners, because it must first enter the tenant. While a thread enters a tenant,
     * however long this takes, the node still picks up other runs.
     */
    private final Set<RunLease> unannounced = ConcurrentHashMap.newKeySet();

    private final Map<RunId, ReplayingRunContext> contexts = new ConcurrentHashMap<>();

    /**
     * The options for executing runs.
     *
     * @param attempts the number of times that a run may be picked up without progress; a new journal entry or a wait resets the
     *     count
     * @param blockedPause the pause before a blocked run is picked up again
     * @param slowStep the time after which a step that has not returned is logged
     * @param defaults the defaults of the steps of all runs
     */
    record Options(int attempts, Duration blockedPause, Duration slowStep, StepDefaults defaults) {}

    /**
     * The node that executes the runs.
     *
     * @param ticks the node's clock for elapsed time
     * @param closing the check that returns true if the node is shutting down, so that no further step may begin
     * @param wakeIn the function that makes the node look for due runs after the given time
     * @param permitFreed the action that makes the node look for runs of queues
     */
    record ThisNode(ElapsedClock ticks, BooleanSupplier closing, Consumer<Duration> wakeIn, Runnable permitFreed) {}

    RunExecutor(
            RunStore store,
            RunCatalog catalog,
            ReplayingRunContext.Services services,
            CarriedContext carriedContext,
            Options options,
            ThisNode node,
            RunNotifier notifier) {
        this.store = store;
        this.catalog = catalog;
        this.services = services;
        this.carriedContext = carriedContext;
        this.options = options;
        this.node = node;
        this.notifier = notifier;
    }

    @Override
    public Optional<Duration> untilDue(Duration within) {
        return store.untilDue(catalog.namesToPickUp(), within);
    }

    @Override
    public List<PickedUpRun> take(int slots) {
        return store.take(catalog.namesToPickUp(), slots, options.attempts()).stream()
                .filter(this::isToBeExecuted)
                .toList();
    }

    Optional<PickedUpRun> take(RunId id) {
        return store.take(id, catalog.namesToPickUp(), options.attempts()).filter(this::isToBeExecuted);
    }

    boolean isToBeExecuted(PickedUpRun pickedUp) {
        if (pickedUp.parked()) {
            logger.error(
                    "Parked run {} of '{}': it was picked up {} times without progress. Each time, the node that executed the run died or released the run again, for example because the journal could not be written. Find out why before you retry the run",
                    pickedUp.runLease().id(),
                    pickedUp.run(),
                    pickedUp.attempt());
        }
        if (pickedUp.parked()) {
            notifier.released(pickedUp, RunEvent.PARKED);
        } else if (pickedUp.tenant() == null) {
            notifier.executing(pickedUp, RunEvent.PICKED_UP);
        } else {
            boolean unused = unannounced.add(pickedUp.runLease());
            notifier.executing(pickedUp);
        }
        return !pickedUp.parked();
    }

    @Override
    public HeldLease held(PickedUpRun pickedUp) {
        return pickedUp.runLease().held();
    }

    @Override
    public String describe(HeldLease held) {
        ReplayingRunContext context = contexts.get(RunId.of(held.id()));
        return context == null ? held.toString() : context.toString();
    }

    /** Returns the current step, or null if this node does not execute the run or the run is between two steps. */
    RunView.@Nullable CurrentStep currentStep(RunId id) {
        ReplayingRunContext context = contexts.get(id);
        return context == null ? null : context.currentStep();
    }

    @Override
    public void release(PickedUpRun pickedUp, Duration pause) {
        boolean unusedRemoval = unannounced.remove(pickedUp.runLease());
        // If no node has begun the run, none of its steps has begun. A suspension records this, but a release does not.
        boolean isNew = pickedUp.attempt() == 1 && !pickedUp.interrupted();
        try {
            boolean unused = (isNew && store.suspend(pickedUp.runLease(), List.of(), pause, pickedUp.controlState()))
                    || store.release(pickedUp.runLease(), pause);
        } finally {
            notifier.released(pickedUp, RunEvent.LEFT);
        }
    }

    @Override
    public Runnable work(PickedUpRun pickedUp, Hold hold) {
        return work(pickedUp, hold, CallersThread.NONE);
    }

    /**
     * Executes a run, and writes the result.
     *
     * @param callersThread the caller's thread if a caller executes the run, otherwise {@link CallersThread#NONE}
     * @return an action to run after the slot is freed
     */
    Runnable work(PickedUpRun pickedUp, Hold hold, CallersThread callersThread) {
        ElapsedClock ticks = node.ticks();
        Duration begun = ticks.now();
        Supplier<Instant> clock = () -> pickedUp.now().plus(ticks.now().minus(begun));
        RunControl control = new RunControl(store, pickedUp, node.closing(), hold, callersThread);
        StepDefaults defaults = catalog.find(pickedUp.run())
                .map(code -> code.defaultsOr(options.defaults()))
                .orElse(StepDefaults.none());
        ReplayingRunContext context = new ReplayingRunContext(
                pickedUp, control, hold, services, clock, defaults, failure -> notifier.retrying(pickedUp, failure));

        ExitWriter exitWriter =
                new ExitWriter(store, notifier, node.wakeIn(), options.blockedPause(), pickedUp, hold, control);
        AtomicReference<Runnable> notification = new AtomicReference<>(exitWriter::notifyReleased);
        contexts.put(pickedUp.runLease().id(), context);
        hold.onWatch(() -> context.warnIfSlow(options.slowStep()));
        if (unannounced.remove(pickedUp.runLease())) {
            notifier.notifyListeners(pickedUp, RunEvent.PICKED_UP);
        }
        try {
            inContext(
                    pickedUp,
                    () -> {
                        Exit exit = execute(pickedUp, hold, control, context);
                        context.end();
                        callersThread.takeInterrupt();
                        notification.set(exit.match(exitWriter));
                    },
                    blocked -> notification.set(blocked.match(exitWriter)));
        } catch (FencedException fenced) {
            exitWriter.leaveFenced();
        } catch (RuntimeException | Error failed) {
            logger.warn(
                    "The result of {} of '{}' could not be written. The run is picked up again when its lease has expired, unless the result was written nevertheless",
                    pickedUp.runLease(),
                    pickedUp.run(),
                    failed);
        } finally {
            boolean unused = contexts.remove(pickedUp.runLease().id(), context);
        }
        return pickedUp.runLease().permit() == null
                ? notification.get()
                : () -> {
                    notification.get().run();
                    node.permitFreed().run();
                };
    }

    /** Executes the work in the context of the run. If the run's tenant cannot be restored, the run is blocked instead. */
    private void inContext(PickedUpRun pickedUp, Runnable work, Consumer<Exit> otherwise) {
        try {
            carriedContext.with(pickedUp, work);
        } catch (TenantUnavailableException unavailable) {
            otherwise.accept(new Exit.Blocked(
                    "The tenant '%s' of the run is not available, so nothing was executed. The run continues when the tenant is available again. %s"
                            .formatted(pickedUp.tenant(), FailureText.of(unavailable)),
                    unavailable));
        }
    }

    /** Calls the code, and returns how the code ended. The exit is not stored yet, unless the run waits. */
    private Exit execute(PickedUpRun pickedUp, Hold hold, RunControl control, ReplayingRunContext context) {
        Journal journal = control.journal();
        Payloads payloads = services.payloads();
        RunCatalog.Code code;
        Object result;
        try {
            code = catalog.find(pickedUp.run()).orElseThrow();
            journal.requireWhole();
            Object input;
            try {
                input = payloads.read(pickedUp.input(), code.input());
            } catch (PayloadException unreadable) {
                boolean isNew = pickedUp.journal().isEmpty() && !pickedUp.interrupted();
                if (control.cancelReason() != null && isNew) {
                    return ended(RunState.CANCELLED, "The run was cancelled before it began.", null);
                }
                throw control.earlyExit()
                        .leave(new Exit.Blocked(
                                "The input of the run cannot be read: %s The run continues when the code can read the input again."
                                        .formatted(unreadable.getMessage()),
                                unreadable));
            }
            result = hold.during(() -> call(pickedUp.runLease().id(), code.bean(), context, input));
            control.earlyExit().requireNotLeft();
            journal.requireReplayedAll();
        } catch (Throwable thrown) {
            Exit.Unwound early = control.earlyExit().exit();
            if (early != null) {
                return early;
            }
            Exit.Unwound interrupted = control.interruptedBy(thrown);
            if (interrupted != null) {
                return interrupted;
            }
            if (NodeErrors.is(thrown)) {
                return new Exit.Released(thrown.toString(), thrown);
            }
            journal.forgetFailure(thrown);
            return failed(pickedUp, control, thrown, thrown);
        }
        RunState stopped = control.stoppedAs();
        if (stopped != null) {
            return ended(stopped, "The run was cancelled or its deadline passed before its method returned.", null);
        }
        try {
            StoredValue written = code.output() == Void.class ? null : payloads.writeReadableIfAny(result);
            return new Exit.Ended(new Ending(RunState.COMPLETED, written, null, null), result, null);
        } catch (PayloadException unwritable) {
            return failed(pickedUp, control, unwritable, null);
        }
    }

    @SuppressWarnings("unchecked") // The input has the type that the bean declares.
    private @Nullable Object call(RunId id, DurableRun<?, ?> run, RunContext context, @Nullable Object input)
            throws Exception {
        RunId outer = executing.get();
        executing.set(id);
        try {
            return ((DurableRun<@Nullable Object, @Nullable Object>) run).run(context, input);
        } finally {
            if (outer == null) {
                executing.remove();
            } else {
                executing.set(outer);
            }
        }
    }

    /**
     * Throws an exception if the calling thread is executing a run: the wait would occupy a slot that the awaited run
     * may need.
     */
    void requireNotExecuting(RunId awaited) {
        RunId current = executing.get();
        if (current != null) {
            throw new IllegalStateException(
                    "Run %s cannot be awaited on the thread that executes run %s: the wait would occupy a slot (saga.runs.concurrency). If all slots were waiting, no run could continue. Let run %s signal run %s when it ends (Runs.signal), and wait with RunContext.awaitSignal, which uses no slot."
                            .formatted(awaited, current, awaited, current));
        }
    }

    /** Throws an exception if the calling thread is executing a run. Another run on this thread would need a second slot. */
    void requireNotExecuting(RunCatalog.Code code) {
        RunId current = executing.get();
        if (current != null) {
            throw new IllegalStateException(
                    "A run of '%s' cannot be executed on the thread that executes run %s: it would need a second slot (saga.runs.concurrency). If all slots were used like this, no run could continue. Start it with RunContext.startFireAndForget, and let it signal run %s when it ends."
                            .formatted(code.name(), current, current));
        }
    }

    /** Creates the exit of a run that failed. Listeners get the exception only if the code threw it. */
    private static Exit failed(PickedUpRun pickedUp, RunControl control, Throwable why, @Nullable Throwable thrown) {
        if (why instanceof CompensationFailedException) {
            FailureLog.log(
                    why,
                    failure -> logger.error(
                            "Run {} of '{}' could not be compensated",
                            pickedUp.runLease().id(),
                            pickedUp.run(),
                            failure));
            return ended(RunState.COMPENSATION_FAILED, FailureText.of(why), thrown);
        }
        RunState stopped = control.stoppedAs();
        if (stopped != null) {
            control.forgetDeadline();
            return ended(stopped, FailureText.of(why), thrown);
        }
        FailureLog.log(
                why,
                failure ->
                        logger.warn("Run {} of '{}' failed", pickedUp.runLease().id(), pickedUp.run(), failure));
        return ended(RunState.FAILED, FailureText.of(why), thrown);
    }

    private static Exit ended(RunState state, String error, @Nullable Throwable thrown) {
        return new Exit.Ended(new Ending(state, null, error, null), null, thrown);
    }
}
