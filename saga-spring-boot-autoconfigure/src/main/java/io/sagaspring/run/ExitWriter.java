package io.sagaspring.run;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.LogText;
import io.sagaspring.run.RunExecutions.Ending;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes how one activation of a run ended. Each case returns what notifies the listeners and the waiting callers, for when the
 * activation is over. If the store refuses, a case throws {@link FencedException}.
 */
final class ExitWriter implements Exit.Cases<Runnable> {

    /** What becomes of runs is logged under one name. */
    private static final Logger logger = LoggerFactory.getLogger(RunExecutor.class);

    /** Until a journal that could not be written is tried again. */
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);

    private final RunStore store;
    private final RunNotifier watch;
    private final Consumer<Duration> wakeIn;
    private final Duration blockedPause;
    private final PickedUpRun taken;
    private final Hold hold;
    private final RunControl control;

    /**
     * Creates the departure of one activation.
     *
     * @param wakeIn has this node look when the run is due
     * @param blockedPause the time after which a blocked run is looked at again
     */
    ExitWriter(
            RunStore store,
            RunNotifier watch,
            Consumer<Duration> wakeIn,
            Duration blockedPause,
            PickedUpRun taken,
            Hold hold,
            RunControl control) {
        this.store = store;
        this.watch = watch;
        this.wakeIn = wakeIn;
        this.blockedPause = blockedPause;
        this.taken = taken;
        this.hold = hold;
        this.control = control;
    }

    @Override
    public Runnable ended(Exit.Ended exit) {
        return write(exit.ending(), exit.failure());
    }

    @Override
    public Runnable suspended(Exit.Suspended exit) {
        Duration pause = exit.pause();
        return () -> {
            watch.left(taken, RunEvent.SUSPENDED);
            if (pause != null) {
                wakeIn.accept(pause);
            }
        };
    }

    @Override
    public Runnable fenced(Exit.Fenced exit) {
        throw exit.cause();
    }

    /** Between two steps nothing has begun, and whoever is next may know that. */
    @Override
    public Runnable handedOver(Exit.HandedOver exit) {
        return control.suspendForOthers() ? this::left : release();
    }

    @Override
    public Runnable released(Exit.Released exit) {
        if (hold.stop() == Hold.Stop.CLOSING) {
            return release();
        }
        logger.warn(
                "Run {} of '{}' is left for later: {}",
                taken.runLease().id(),
                taken.run(),
                LogText.of(exit.why()),
                exit.cause());
        return write(new Ending(RunState.PENDING, null, exit.why(), AFTER_TROUBLE), null);
    }

    @Override
    public Runnable blocked(Exit.Blocked exit) {
        logger.error("Blocked run {} of '{}': {}", taken.runLease().id(), taken.run(), LogText.of(exit.why()));
        control.journal().forget();
        return write(new Ending(RunState.BLOCKED, null, exit.why(), blockedPause), null);
    }

    @Override
    public Runnable inDoubt(Exit.InDoubt exit) {
        logger.error(
                "Run {} of '{}' is in doubt: {}",
                taken.runLease().id(),
                taken.run(),
                LogText.of(exit.why()),
                exit.cause());
        return write(new Ending(RunState.IN_DOUBT, null, exit.why(), null), null);
    }

    private Runnable write(Ending ending, @Nullable Throwable failure) {
        return control.end(ending) ? () -> watch.ended(taken, ending, control.cancelReason(), failure) : release();
    }

    /** Nothing of what it has done is lost: what was added to the journal is written before. */
    private Runnable release() {
        control.journal().write();
        if (!store.release(taken.runLease(), Duration.ZERO)) {
            throw new FencedException(taken.runLease());
        }
        return this::left;
    }

    /** Notifies that the run is not executed here any more. */
    void left() {
        watch.left(taken, RunEvent.LEFT);
    }

    /** Gives the run back if this node still holds it: then no other node has taken it, and its journal has lost entries. */
    void leaveFenced() {
        boolean isStillOurs = false;
        try {
            isStillOurs = store.release(taken.runLease(), AFTER_TROUBLE);
        } catch (RuntimeException unreachable) {
            logger.debug("{} could not be given back; its lease ends", taken.runLease(), unreachable);
        }
        if (isStillOurs) {
            logger.error(
                    "Run {} of '{}' was left: the database has lost entries of its journal that were written, perhaps in a fail-over to a replica that lagged behind. It goes on from what is there, and repeats what is missing with the same keys",
                    taken.runLease().id(),
                    taken.run());
        } else {
            logger.warn("{} of '{}' was left: another node drives it", taken.runLease(), taken.run());
        }
    }
}
