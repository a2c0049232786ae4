package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.due.ReservedSlot;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Starts runs:
 *
 * <ol>
 *   <li>Converts the input and the caller's context to their stored form.
 *   <li>Outside a transaction, reserves a slot, so that this node executes the run from its start. A run gets no slot if it
 *       begins later, needs a permit of a queue, or is of a paused kind.
 *   <li>Starts the run in the store, in the caller's transaction if there is one.
 *   <li>Executes the run in the slot. Without a slot, wakes the pickup, after the caller's commit if there is a
 *       transaction.
 * </ol>
 */
final class RunStarter {

    private final RunStore store;
    private final RunCatalog catalog;
    private final Payloads payloads;
    private final CarriedContext carriedContext;
    private final Pickup<PickedUpRun> pickup;
    private final RunNotifier notifier;
    private final RunQueues queues;

    RunStarter(
            RunStore store,
            RunCatalog catalog,
            Payloads payloads,
            CarriedContext carriedContext,
            Pickup<PickedUpRun> pickup,
            RunNotifier notifier,
            RunQueues queues) {
        this.store = store;
        this.catalog = catalog;
        this.payloads = payloads;
        this.carriedContext = carriedContext;
        this.pickup = pickup;
        this.notifier = notifier;
        this.queues = queues;
    }

    QueueControl queue(String name) {
        return queues.control(name);
    }

    /**
     * A run that was started now or earlier.
     *
     * @param id the run's id
     * @param outcome the effect of the call
     */
    record StartResult(RunId id, StartOutcome outcome) {

        static StartResult of(NewRun requested, Started started) {
            if (started.id().equals(requested.id())) {
                return new StartResult(started.id(), StartOutcome.STARTED);
            }
            StartKey key = requested.key();
            return new StartResult(
                    started.id(), key != null && key.isReplaceable() ? StartOutcome.REPLACED : StartOutcome.EXISTING);
        }
    }

    /**
     * A run to start.
     *
     * @param code the code of the run
     * @param input the input of the run
     * @param options the options of the run
     */
    record Starting(RunCatalog.Code code, @Nullable Object input, RunOptions options) {}

    /** Starts runs that any node can execute, in the caller's transaction if there is one. */
    List<StartResult> startAll(List<Starting> all) {
        boolean inTransaction = TransactionPhase.isActive();
        List<NewRun> newRuns = all.stream().map(this::newRun).toList();
        List<Started> started = store.startAll(newRuns);
        List<StartResult> results = new ArrayList<>();
        for (int number = 0; number < newRuns.size(); number++) {
            NewRun newRun = newRuns.get(number);
            StartResult result = StartResult.of(newRun, started.get(number));
            wakeAfterCommit(newRun, result, started.get(number).at(), inTransaction);
            results.add(result);
        }
        return results;
    }

    private NewRun newRun(Starting starting) {
        RunCatalog.Code code = starting.code();
        RunOptions options = starting.options();
        QueuePlace place = place(options);
        return new NewRun(
                RunId.next(),
                code.name(),
                options.startKey(),
                carriedContext.tenant(),
                payloads.writeInput(starting.input(), code.input()),
                carriedContext.captured(code.definition()),
                options.deadline() == null ? code.deadline() : options.deadline(),
                options.startTime(),
                false,
                place,
                code.labelsOf(starting.input(), options.labels()));
    }

    private @Nullable QueuePlace place(RunOptions options) {
        QueuePlace place = options.place();
        StartKey key = options.startKey();
        if (key != null && key.isReplaceable()) {
            return queues.requireOneByOne(place, key.text(), carriedContext.tenant());
        }
        if (place != null) {
            queues.require(place.queue());
        }
        return place;
    }

    /** Executes a run that this node has started in a reserved slot. */
    @FunctionalInterface
    interface Begin {
        void begin(ReservedSlot<PickedUpRun> slot, PickedUpRun pickedUp);
    }

    StartResult start(RunCatalog.Code code, @Nullable Object input, RunOptions options) {
        return start(code, input, options, ReservedSlot::begin);
    }

    StartResult start(RunCatalog.Code code, @Nullable Object input, RunOptions options, Begin begin) {
        boolean inTransaction = TransactionPhase.isActive();
        NewRun anywhere = newRun(new Starting(code, input, options));
        Optional<ReservedSlot<PickedUpRun>> slot = inTransaction
                        || anywhere.place() != null
                        || anywhere.startTime() != null
                        || catalog.isPaused(code.name())
                ? Optional.empty()
                : pickup.reserve();
        NewRun newRun = slot.isPresent() ? anywhere.here(true) : anywhere;
        Started started;
        try {
            started = store.start(newRun);
        } catch (RuntimeException | Error failed) {
            slot.ifPresent(ReservedSlot::release);
            throw failed;
        }
        StartResult result = StartResult.of(newRun, started);
        if (started.token() != null && slot.isPresent()) {
            PickedUpRun pickedUp = new PickedUpRun(
                    new RunLease(started.id(), started.token()),
                    newRun.run(),
                    newRun.tenant(),
                    newRun.input(),
                    newRun.carried(),
                    List.of(),
                    ControlState.OF_A_NEW_RUN,
                    started.at(),
                    1,
                    0,
                    false,
                    false);
            notifier.executing(pickedUp, RunEvent.STARTED);
            begin.begin(slot.get(), pickedUp);
        } else {
            slot.ifPresent(ReservedSlot::release);
            wakeAfterCommit(newRun, result, started.at(), inTransaction);
        }
        return result;
    }

    private void wakeAfterCommit(NewRun newRun, StartResult result, Instant now, boolean inTransaction) {
        if (result.outcome() == StartOutcome.EXISTING) {
            return;
        }
        Runnable wake = () -> {
            if (result.outcome() == StartOutcome.REPLACED) {
                notifier.replaced(newRun, result.id());
            } else {
                notifier.started(newRun);
            }
            Duration pause = newRun.startTime() == null
                    ? Duration.ZERO
                    : Duration.between(now, newRun.startTime().from(now));
            if (newRun.place() != null) {
                queues.wakeIn(pause);
            } else if (newRun.startTime() == null) {
                pickup.wake();
            } else {
                pickup.wakeIn(pause);
            }
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
