package io.sagaspring.run;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.LogText;
import io.sagaspring.run.RunExecutions.Ending;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores how the execution of a run has ended, unless this is already stored. The method for each case returns an
 * action that notifies listeners and waiting callers. Call the action after the run's slot has been freed. The method
 * throws {@link FencedException} if the store rejects the write.
 */
final class ExitWriter implements Exit.Cases<Runnable> {

    /** The logger of {@link RunExecutor}, so that all changes of runs are logged under one name. */
    private static final Logger logger = LoggerFactory.getLogger(RunExecutor.class);

    /**
     * The pause before a run is due again if this node could not continue it, for example because the journal could not
     * be written.
     */
    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);

    private final RunStore store;
    private final RunNotifier notifier;
    private final Consumer<Duration> wakeIn;
    private final Duration blockedPause;
    private final PickedUpRun pickedUp;
    private final Hold hold;
    private final RunControl control;

    /**
     * Creates a writer for one execution of a run.
     *
     * @param wakeIn the function that makes this node look for due runs after the given time
     * @param blockedPause the pause before a blocked run is picked up again
     */
    ExitWriter(
            RunStore store,
            RunNotifier notifier,
            Consumer<Duration> wakeIn,
            Duration blockedPause,
            PickedUpRun pickedUp,
            Hold hold,
            RunControl control) {
        this.store = store;
        this.notifier = notifier;
        this.wakeIn = wakeIn;
        this.blockedPause = blockedPause;
        this.pickedUp = pickedUp;
        this.hold = hold;
        this.control = control;
    }

    @Override
    public Runnable ended(Exit.Ended exit) {
        return write(exit);
    }

    @Override
    public Runnable suspended(Exit.Suspended exit) {
        Duration pause = exit.pause();
        return () -> {
            notifier.suspended(pickedUp, exit);
            if (pause != null) {
                wakeIn.accept(pause);
            }
        };
    }

    @Override
    public Runnable fenced(Exit.Fenced exit) {
        throw exit.cause();
    }

    /**
     * Hands the run over between two steps, and records that the next step has not begun. If that is not possible, only
     * releases the run.
     */
    @Override
    public Runnable handedOver(Exit.HandedOver exit) {
        return control.suspendForAnyNode() ? this::notifyReleased : release();
    }

    @Override
    public Runnable released(Exit.Released exit) {
        if (hold.stop() == Hold.Stop.CLOSING) {
            return release();
        }
        FailureLog.log(
                exit.cause(),
                failure -> logger.warn(
                        "Run {} of '{}' was released and will be picked up again: {}",
                        pickedUp.runLease().id(),
                        pickedUp.run(),
                        LogText.of(exit.why()),
                        failure));
        return write(new Ending(RunState.PENDING, null, exit.why(), AFTER_TROUBLE));
    }

    @Override
    public Runnable interrupted(Exit.Interrupted exit) {
        Runnable released = release();
        return () -> {
            released.run();
            wakeIn.accept(Duration.ZERO);
        };
    }

    @Override
    public Runnable blocked(Exit.Blocked exit) {
        logger.error("Blocked run {} of '{}': {}", pickedUp.runLease().id(), pickedUp.run(), LogText.of(exit.why()));
        control.journal().forget();
        return write(new Ending(RunState.BLOCKED, null, exit.why(), blockedPause));
    }

    @Override
    public Runnable inDoubt(Exit.InDoubt exit) {
        FailureLog.log(
                exit.cause(),
                failure -> logger.error(
                        "Run {} of '{}' is in doubt: {}",
                        pickedUp.runLease().id(),
                        pickedUp.run(),
                        LogText.of(exit.why()),
                        failure));
        return write(new Ending(RunState.IN_DOUBT, null, exit.why(), null));
    }

    private Runnable write(Ending ending) {
        return write(new Exit.Ended(ending, null, null));
    }

    private Runnable write(Exit.Ended exit) {
        return control.end(exit.ending()) ? () -> notifier.ended(pickedUp, exit, control.cancelReason()) : release();
    }

    /**
     * Releases the run. First writes the entries that were added to the journal, so that no completed step is lost.
     */
    private Runnable release() {
        control.journal().write();
        if (!store.release(pickedUp.runLease(), Duration.ZERO)) {
            throw new FencedException(pickedUp.runLease());
        }
        return this::notifyReleased;
    }

    /** Notifies listeners that this node no longer executes the run. */
    void notifyReleased() {
        notifier.released(pickedUp, RunEvent.LEFT);
    }

    /**
     * Handles a rejected write. If this node can still release the run, no other node has picked it up, so the database
     * has lost entries of the run's journal.
     */
    void leaveFenced() {
        boolean isStillOurs = false;
        try {
            isStillOurs = store.release(pickedUp.runLease(), AFTER_TROUBLE);
        } catch (RuntimeException unreachable) {
            logger.debug("{} could not be released; its lease will expire", pickedUp.runLease(), unreachable);
        }
        if (isStillOurs) {
            logger.error(
                    "Run {} of '{}' was released: the database has lost entries of its journal, probably in a failover to a lagging replica. The run continues from the remaining entries, and executes the missing steps again with the same idempotency keys",
                    pickedUp.runLease().id(),
                    pickedUp.run());
        } else {
            logger.warn(
                    "This node was fenced off from {} of '{}': another node executes it, or it was given up",
                    pickedUp.runLease(),
                    pickedUp.run());
        }
    }
}
