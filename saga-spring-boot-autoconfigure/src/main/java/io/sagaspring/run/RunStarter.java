package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Starts runs:
 *
 * <ol>
 *   <li>Writes the input and the caller's surroundings as they are stored.
 *   <li>Outside of a transaction it reserves a slot, so that this node executes the run from the start.
 *   <li>Has the store start the run, in the caller's transaction if there is one.
 *   <li>Executes the run in the slot, or wakes the pickup: after the commit, if there is a transaction.
 * </ol>
 */
final class RunStarter {

    private final RunStore store;
    private final Payloads payloads;
    private final CarriedContext carrying;
    private final Pickup<PickedUpRun> pickup;
    private final RunNotifier watch;

    RunStarter(
            RunStore store, Payloads payloads, CarriedContext carrying, Pickup<PickedUpRun> pickup, RunNotifier watch) {
        this.store = store;
        this.payloads = payloads;
        this.carrying = carrying;
        this.pickup = pickup;
        this.watch = watch;
    }

    /**
     * A run that has been started, now or before.
     *
     * @param id the run's id
     * @param isNew whether this call has started it
     */
    record Begun(RunId id, boolean isNew) {}

    Begun start(RunCatalog.Code code, @Nullable Object input, RunOptions options) {
        StoredValue stored = payloads.writeInput(input, code.input());
        StoredValue carried = carrying.captured();
        boolean inTransaction = TransactionPhase.isActive();
        Optional<Pickup<PickedUpRun>.Slot> slot = inTransaction ? Optional.empty() : pickup.reserve();
        NewRun asked = new NewRun(
                RunId.next(), code.name(), options.key(), stored, carried, options.deadline(), slot.isPresent());
        Started started;
        try {
            started = store.start(asked);
        } catch (RuntimeException | Error failed) {
            slot.ifPresent(Pickup.Slot::release);
            throw failed;
        }
        boolean isNew = started.id().equals(asked.id());
        if (started.token() != null && slot.isPresent()) {
            PickedUpRun taken = new PickedUpRun(
                    new RunLease(started.id(), started.token()),
                    asked.run(),
                    stored,
                    asked.carried(),
                    List.of(),
                    ControlState.OF_A_NEW_RUN,
                    started.at(),
                    1,
                    0,
                    false,
                    false);
            watch.runLease(taken, RunEvent.STARTED);
            slot.get().begin(taken);
        } else {
            slot.ifPresent(Pickup.Slot::release);
            if (isNew) {
                wakeAfterCommit(asked, inTransaction);
            }
        }
        return new Begun(started.id(), isNew);
    }

    private void wakeAfterCommit(NewRun asked, boolean inTransaction) {
        Runnable wake = () -> {
            watch.tell(asked.run(), asked.id(), RunEvent.STARTED);
            pickup.wake();
        };
        if (inTransaction && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    wake.run();
                }
            });
        } else {
            wake.run();
        }
    }
}
