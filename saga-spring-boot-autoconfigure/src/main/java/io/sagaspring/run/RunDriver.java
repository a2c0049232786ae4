package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Held;
import io.sagaspring.fence.Hold;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.Ticks;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.Unwinding.Rest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
final class RunDriver implements Pickup.Source<PickedUpRun> {

    private static final ThreadLocal<RunId> executing = new ThreadLocal<>();

    private static final Logger logger = LoggerFactory.getLogger(RunDriver.class);

    /** Until a journal that could not be written is tried again. */
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);

    private final RunStore store;
    private final RunCatalog catalog;
    private final Payloads payloads;
    private final StepTransactions transactions;
    private final Carrying carrying;
    private final Terms terms;
    private final Ticks ticks;
    private final RunWatch watch;

    /** Has this node look when a run is due that it has let wait. */
    private final Consumer<Duration> wakeIn;

    private final BooleanSupplier closing;
    private final Beside beside;
    private final Map<RunId, Activation> here = new ConcurrentHashMap<>();

    /**
     * What may be set.
     *
     * @param attempts how often a run may be taken up without an end or a wait
     * @param blockedPause after which a blocked run is looked at again
     * @param slowStep after which a step that has not returned is logged
     */
    record Terms(int attempts, Duration blockedPause, Duration slowStep) {}

    RunDriver(
            RunStore store,
            RunCatalog catalog,
            Payloads payloads,
            StepTransactions transactions,
            Carrying carrying,
            Terms terms,
            Ticks ticks,
            RunWatch watch,
            Consumer<Duration> wakeIn,
            BooleanSupplier closing,
            Beside beside) {
        this.store = store;
        this.catalog = catalog;
        this.payloads = payloads;
        this.transactions = transactions;
        this.carrying = carrying;
        this.terms = terms;
        this.ticks = ticks;
        this.watch = watch;
        this.wakeIn = wakeIn;
        this.closing = closing;
        this.beside = beside;
    }

    @Override
    public Optional<Duration> untilDue(Duration within) {
        return store.untilDue(catalog.names(), within);
    }

    @Override
    public List<PickedUpRun> take(int slots) {
        return store.take(catalog.names(), slots, terms.attempts()).stream()
                .filter(this::isToBeDriven)
                .toList();
    }

    Optional<PickedUpRun> take(RunId id) {
        return store.take(id, catalog.names(), terms.attempts()).filter(this::isToBeDriven);
    }

    private boolean isToBeDriven(PickedUpRun taken) {
        if (taken.parked()) {
            logger.error(
                    "Parked run {} of '{}': it was taken up {} times and came no further, because its node died or its journal could not be written. Find out why before it is retried",
                    taken.driven().id(),
                    taken.run(),
                    taken.attempt());
        }
        if (taken.parked()) {
            watch.left(taken, RunEvent.PARKED);
        } else {
            watch.driven(taken, RunEvent.TAKEN_UP);
        }
        return !taken.parked();
    }

    @Override
    public Held held(PickedUpRun taken) {
        return taken.driven().held();
    }

    @Override
    public String describe(Held held) {
        Activation activation = here.get(RunId.of(held.id()));
        return activation == null ? held.toString() : activation.toString();
    }

    /** Null if it is not executed here, or is between two steps. */
    RunView.@Nullable CurrentStep currentStep(RunId id) {
        Activation activation = here.get(id);
        return activation == null ? null : activation.currentStep();
    }

    @Override
    public void giveBack(PickedUpRun taken, Duration pause) {
        // Where nobody has begun it, no step may have begun.
        boolean isNew = taken.attempt() == 1 && !taken.interrupted();
        boolean unused = (isNew && store.suspend(taken.driven(), List.of(), pause, taken.standing()))
                || store.giveBack(taken.driven(), pause);
        watch.left(taken, RunEvent.LEFT);
    }

    @Override
    public Runnable work(PickedUpRun taken, Hold hold) {
        Duration begun = ticks.now();
        Supplier<Instant> clock = () -> taken.now().plus(ticks.now().minus(begun));
        Journal journal = new Journal(store, taken, closing);
        Activation activation = new Activation(taken, journal, hold, payloads, transactions, clock, beside);
        AtomicReference<Runnable> tell = new AtomicReference<>(() -> watch.left(taken, RunEvent.LEFT));
        here.put(taken.driven().id(), activation);
        hold.onWatch(() -> activation.warnIfSlow(terms.slowStep()));
        try {
            carrying.with(taken, () -> {
                Ending ending = drive(taken, hold, journal, activation);
                activation.over();
                if (journal.isSuspended()) {
                    tell.set(() -> {
                        watch.left(taken, RunEvent.SUSPENDED);
                        journal.waitsFor().ifPresent(wakeIn);
                    });
                } else if (ending != null) {
                    if (journal.end(ending)) {
                        tell.set(() ->
                                watch.ended(taken, ending, journal.standing().cancelReason(), journal.failure()));
                    } else {
                        givenBack(taken, journal);
                    }
                }
            });
        } catch (FencedException fenced) {
            leaveFenced(taken);
        } catch (RuntimeException | Error failed) {
            logger.warn(
                    "What became of {} of '{}' could not be written; it is taken up again when its lease is over",
                    taken.driven(),
                    taken.run(),
                    failed);
        } finally {
            boolean unused = here.remove(taken.driven().id(), activation);
        }
        return tell.get();
    }

    /** Gives the run back if this node still holds it: then no other node has taken it, and its journal has lost entries. */
    private void leaveFenced(PickedUpRun taken) {
        boolean isStillOurs = false;
        try {
            isStillOurs = store.giveBack(taken.driven(), AFTER_TROUBLE);
        } catch (RuntimeException unreachable) {
            logger.debug("{} could not be given back; its lease ends", taken.driven(), unreachable);
        }
        if (isStillOurs) {
            logger.error(
                    "Run {} of '{}' was left: the database has lost entries of its journal that were written, perhaps in a fail-over to a replica that lagged behind. It goes on from what is there, and repeats what is missing with the same keys",
                    taken.driven().id(),
                    taken.run());
        } else {
            logger.warn("{} of '{}' was left: another node drives it", taken.driven(), taken.run());
        }
    }

    /** Returns null if there is nothing left to write. */
    private @Nullable Ending drive(PickedUpRun taken, Hold hold, Journal journal, Activation activation) {
        Object result;
        try {
            RunCatalog.Code code = catalog.find(taken.run()).orElseThrow();
            journal.requireWhole();
            Object input;
            try {
                input = payloads.read(taken.input(), code.input());
            } catch (PayloadException unreadable) {
                if (journal.standing().cancelReason() != null && taken.journal().isEmpty()) {
                    return new Ending(RunState.CANCELLED, null, "It was cancelled before it began.", null);
                }
                throw journal.leave(
                        Rest.BLOCK,
                        "The input of the run cannot be read: %s".formatted(unreadable.getMessage()),
                        unreadable);
            }
            result = hold.during(() -> call(taken.driven().id(), code.bean(), activation, input));
            journal.requireNotLeft();
            journal.requireToldAll();
        } catch (Throwable thrown) {
            Unwinding left = journal.left();
            if (left != null) {
                return left(taken, hold, journal, left);
            }
            if (hold.stop() != null) {
                return left(
                        taken,
                        hold,
                        journal,
                        new Unwinding(Rest.GIVE_BACK, hold.stop().reason(), thrown));
            }
            if (NodeTrouble.is(thrown)) {
                return left(taken, hold, journal, new Unwinding(Rest.GIVE_BACK, thrown.toString(), thrown));
            }
            journal.forgetFailure(thrown);
            return failed(taken, journal, thrown);
        }
        if (journal.wasStopped()) {
            return stopped(journal, null);
        }
        try {
            return new Ending(RunState.COMPLETED, payloads.writeReadableIfAny(result), null, null);
        } catch (PayloadException unwritable) {
            return failed(taken, journal, unwritable);
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

    private static Ending failed(PickedUpRun taken, Journal journal, Throwable thrown) {
        if (thrown instanceof CompensationFailedException) {
            logger.error("Run {} of '{}' could not be undone", taken.driven().id(), taken.run(), thrown);
            return new Ending(RunState.COMPENSATION_FAILED, null, FailureText.of(thrown), null);
        }
        if (journal.wasStopped()) {
            journal.forgetDeadline();
            return stopped(journal, thrown);
        }
        logger.warn("Run {} of '{}' failed", taken.driven().id(), taken.run(), thrown);
        return new Ending(RunState.FAILED, null, FailureText.of(thrown), null);
    }

    private static Ending stopped(Journal journal, @Nullable Throwable thrown) {
        RunState state = journal.wasCancelled() ? RunState.CANCELLED : RunState.FAILED;
        String error = thrown == null ? "It was told to stop, and came to its end." : FailureText.of(thrown);
        return new Ending(state, null, error, null);
    }

    private @Nullable Ending left(PickedUpRun taken, Hold hold, Journal journal, Unwinding left) {
        return switch (left.rest()) {
            case NOTHING -> {
                if (left.getCause() instanceof FencedException fenced) {
                    throw fenced;
                }
                yield null;
            }
            case GIVE_BACK -> givenBack(taken, hold, journal, left);
            case HAND_OVER -> {
                handedOver(taken, journal);
                yield null;
            }
            case BLOCK -> {
                logger.error(
                        "Blocked run {} of '{}': {}", taken.driven().id(), taken.run(), LogText.of(left.getMessage()));
                journal.forget();
                yield new Ending(RunState.BLOCKED, null, left.getMessage(), terms.blockedPause());
            }
            case DOUBT -> {
                logger.error(
                        "Run {} of '{}' is in doubt: {}",
                        taken.driven().id(),
                        taken.run(),
                        LogText.of(left.getMessage()),
                        left.getCause());
                yield new Ending(RunState.IN_DOUBT, null, left.getMessage(), null);
            }
        };
    }

    /** Between two steps nothing has begun, and whoever is next may know that. */
    private void handedOver(PickedUpRun taken, Journal journal) {
        journal.resume();
        if (!journal.suspendForOthers()) {
            givenBack(taken, journal);
        }
    }

    /** Nothing of what it has done is lost: what was added to the journal is written before. */
    private void givenBack(PickedUpRun taken, Journal journal) {
        journal.resume();
        journal.write();
        if (!store.giveBack(taken.driven(), Duration.ZERO)) {
            throw new FencedException(taken.driven());
        }
    }

    private @Nullable Ending givenBack(PickedUpRun taken, Hold hold, Journal journal, Unwinding left) {
        if (hold.stop() == Hold.Stop.CLOSING) {
            givenBack(taken, journal);
            return null;
        }
        logger.warn(
                "Run {} of '{}' is left for later: {}",
                taken.driven().id(),
                taken.run(),
                LogText.of(left.getMessage()),
                Objects.requireNonNullElse(left.getCause(), left));
        return new Ending(RunState.PENDING, null, left.getMessage(), AFTER_TROUBLE);
    }
}
