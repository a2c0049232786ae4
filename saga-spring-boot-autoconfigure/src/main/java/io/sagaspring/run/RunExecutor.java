package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.Hold;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunExecutions.Ending;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drives a run once: calls its code, and writes what became of it. */
final class RunExecutor implements Pickup.Source<PickedUpRun> {

    private static final ThreadLocal<RunId> executing = new ThreadLocal<>();

    private static final Logger logger = LoggerFactory.getLogger(RunExecutor.class);

    private final RunStore store;
    private final RunCatalog catalog;
    private final ReplayingRunContext.Services services;
    private final CarriedContext carrying;
    private final Terms terms;
    private final ThisNode node;
    private final RunNotifier watch;
    private final Map<RunId, ReplayingRunContext> here = new ConcurrentHashMap<>();

    /**
     * What may be set.
     *
     * @param attempts how often a run may be taken up without an end or a wait
     * @param blockedPause after which a blocked run is looked at again
     * @param slowStep after which a step that has not returned is logged
     */
    record Terms(int attempts, Duration blockedPause, Duration slowStep) {}

    /**
     * The node that executes the runs.
     *
     * @param ticks its clock
     * @param closing tells whether it closes: then no step is to be begun any more
     * @param wakeIn has it look when a run is due that it has let wait
     */
    record ThisNode(ElapsedClock ticks, BooleanSupplier closing, Consumer<Duration> wakeIn) {}

    RunExecutor(
            RunStore store,
            RunCatalog catalog,
            ReplayingRunContext.Services services,
            CarriedContext carrying,
            Terms terms,
            ThisNode node,
            RunNotifier watch) {
        this.store = store;
        this.catalog = catalog;
        this.services = services;
        this.carrying = carrying;
        this.terms = terms;
        this.node = node;
        this.watch = watch;
    }

    @Override
    public Optional<Duration> untilDue(Duration within) {
        return store.untilDue(catalog.names(), within);
    }

    @Override
    public List<PickedUpRun> take(int slots) {
        return store.take(catalog.names(), slots, terms.attempts()).stream()
                .filter(this::isToBeExecuted)
                .toList();
    }

    Optional<PickedUpRun> take(RunId id) {
        return store.take(id, catalog.names(), terms.attempts()).filter(this::isToBeExecuted);
    }

    private boolean isToBeExecuted(PickedUpRun taken) {
        if (taken.parked()) {
            logger.error(
                    "Parked run {} of '{}': it was taken up {} times and came no further, because its node died or its journal could not be written. Find out why before it is retried",
                    taken.runLease().id(),
                    taken.run(),
                    taken.attempt());
        }
        if (taken.parked()) {
            watch.left(taken, RunEvent.PARKED);
        } else {
            watch.runLease(taken, RunEvent.PICKED_UP);
        }
        return !taken.parked();
    }

    @Override
    public HeldLease held(PickedUpRun taken) {
        return taken.runLease().held();
    }

    @Override
    public String describe(HeldLease held) {
        ReplayingRunContext activation = here.get(RunId.of(held.id()));
        return activation == null ? held.toString() : activation.toString();
    }

    /** Null if it is not executed here, or is between two steps. */
    RunView.@Nullable CurrentStep currentStep(RunId id) {
        ReplayingRunContext activation = here.get(id);
        return activation == null ? null : activation.currentStep();
    }

    @Override
    public void release(PickedUpRun taken, Duration pause) {
        // Where nobody has begun it, no step may have begun.
        boolean isNew = taken.attempt() == 1 && !taken.interrupted();
        boolean unused = (isNew && store.suspend(taken.runLease(), List.of(), pause, taken.standing()))
                || store.release(taken.runLease(), pause);
        watch.left(taken, RunEvent.LEFT);
    }

    @Override
    public Runnable work(PickedUpRun taken, Hold hold) {
        ElapsedClock ticks = node.ticks();
        Duration begun = ticks.now();
        Supplier<Instant> clock = () -> taken.now().plus(ticks.now().minus(begun));
        RunControl control = new RunControl(store, taken, node.closing());
        ReplayingRunContext activation = new ReplayingRunContext(taken, control, hold, services, clock);
        ExitWriter departure = new ExitWriter(store, watch, node.wakeIn(), terms.blockedPause(), taken, hold, control);
        AtomicReference<Runnable> tell = new AtomicReference<>(departure::left);
        here.put(taken.runLease().id(), activation);
        hold.onWatch(() -> activation.warnIfSlow(terms.slowStep()));
        try {
            carrying.with(taken, () -> {
                Exit exit = execute(taken, hold, control, activation);
                activation.over();
                tell.set(exit.match(departure));
            });
        } catch (FencedException fenced) {
            departure.leaveFenced();
        } catch (RuntimeException | Error failed) {
            logger.warn(
                    "What became of {} of '{}' could not be written; it is taken up again when its lease is over",
                    taken.runLease(),
                    taken.run(),
                    failed);
        } finally {
            boolean unused = here.remove(taken.runLease().id(), activation);
        }
        return tell.get();
    }

    /** Calls the code. How the activation ends is not written yet, unless the run waits. */
    private Exit execute(PickedUpRun taken, Hold hold, RunControl control, ReplayingRunContext activation) {
        Journal journal = control.journal();
        Payloads payloads = services.payloads();
        Object result;
        try {
            RunCatalog.Code code = catalog.find(taken.run()).orElseThrow();
            journal.requireWhole();
            Object input;
            try {
                input = payloads.read(taken.input(), code.input());
            } catch (PayloadException unreadable) {
                if (control.cancelReason() != null && taken.journal().isEmpty()) {
                    return ended(RunState.CANCELLED, "It was cancelled before it began.", null);
                }
                throw control.leaving()
                        .leave(new Exit.Blocked(
                                "The input of the run cannot be read: %s".formatted(unreadable.getMessage()),
                                unreadable));
            }
            result = hold.during(() -> call(taken.runLease().id(), code.bean(), activation, input));
            control.leaving().requireNotLeft();
            journal.requireReplayedAll();
        } catch (Throwable thrown) {
            Exit.Left left = control.leaving().exit();
            if (left != null) {
                return left;
            }
            if (hold.stop() != null) {
                return new Exit.Released(hold.stop().reason(), thrown);
            }
            if (NodeErrors.is(thrown)) {
                return new Exit.Released(thrown.toString(), thrown);
            }
            journal.forgetFailure(thrown);
            return failed(taken, control, thrown, thrown);
        }
        RunState stopped = control.stoppedAs();
        if (stopped != null) {
            return ended(stopped, "It was told to stop, and came to its end.", null);
        }
        try {
            StoredValue written = payloads.writeReadableIfAny(result);
            return new Exit.Ended(new Ending(RunState.COMPLETED, written, null, null), null);
        } catch (PayloadException unwritable) {
            return failed(taken, control, unwritable, null);
        }
    }

    @SuppressWarnings("unchecked") // It is what the type of the bean says.
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

    /** Returns the run that the calling thread executes, or null. */
    @Nullable
    RunId executing() {
        return executing.get();
    }

    /** A failure that the code did not throw is not told to listeners as one. */
    private static Exit failed(PickedUpRun taken, RunControl control, Throwable why, @Nullable Throwable thrown) {
        if (why instanceof CompensationFailedException) {
            logger.error("Run {} of '{}' could not be undone", taken.runLease().id(), taken.run(), why);
            return ended(RunState.COMPENSATION_FAILED, FailureText.of(why), thrown);
        }
        RunState stopped = control.stoppedAs();
        if (stopped != null) {
            control.forgetDeadline();
            return ended(stopped, FailureText.of(why), thrown);
        }
        logger.warn("Run {} of '{}' failed", taken.runLease().id(), taken.run(), why);
        return ended(RunState.FAILED, FailureText.of(why), thrown);
    }

    private static Exit ended(RunState state, String error, @Nullable Throwable thrown) {
        return new Exit.Ended(new Ending(state, null, error, null), thrown);
    }
}
