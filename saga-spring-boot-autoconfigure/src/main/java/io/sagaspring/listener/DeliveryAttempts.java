package io.sagaspring.listener;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.Hold;
import io.sagaspring.listener.DeliveryStore.Ended;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import io.sagaspring.run.CarriedContext;
import io.sagaspring.run.FailureText;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.Retry;
import io.sagaspring.run.StepTransactions;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls listeners, and records the end of each attempt, guarded by its token. */
final class DeliveryAttempts {

    private static final Logger logger = LoggerFactory.getLogger(ListenerEngine.class);

    private final DeliveryStore store;
    private final Function<String, Object> beans;
    private final CarriedContext context;
    private final Payloads payloads;
    private final StepTransactions transactions;
    private final DeliveryObserver notifier;

    DeliveryAttempts(
            DeliveryStore store,
            Function<String, Object> beans,
            CarriedContext context,
            Payloads payloads,
            StepTransactions transactions,
            DeliveryObserver notifier) {
        this.store = store;
        this.beans = beans;
        this.context = context;
        this.payloads = payloads;
        this.transactions = transactions;
        this.notifier = notifier;
    }

    /** Wakes the node when there may be more to deliver. */
    interface Next {

        void now();

        void in(Duration pause);
    }

    /** Carries a checked exception of a listener through the carriers of the context. */
    private static final class Thrown extends RuntimeException {

        private static final long serialVersionUID = 1L;

        final Throwable thrown;

        Thrown(Throwable thrown) {
            super(null, thrown, false, false);
            this.thrown = thrown;
        }
    }

    /**
     * Thrown to roll back the transaction of a listener. Another node has taken over the delivery, or a person has
     * decided about it.
     */
    private static final class TakenOver extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TakenOver() {
            super(
                    "Another node has taken over the delivery, or a person has retried it or given it up.",
                    null,
                    false,
                    false);
        }
    }

    void work(ListenerMethod listener, PickedUp picked, Hold hold, Next next) {
        Delivery delivery = picked.delivery();
        try {
            Ended ended;
            try {
                ended = hold.during(() -> deliver(listener, picked));
            } catch (Throwable thrown) {
                Throwable failed = thrown instanceof Thrown checked ? checked.thrown : thrown;
                if (hold.stop() == Hold.Stop.CLOSING) {
                    release(picked, Duration.ZERO);
                } else if (failed instanceof StepTransactions.UnknownException) {
                    // Record nothing. If the transaction was not committed, the delivery is picked up when its lease
                    // ends.
                    logger.warn(
                            "It is unknown whether the transaction of the delivery {} was committed. If it was not, the event is delivered again when the lease ends",
                            text(delivery),
                            failed);
                } else if (failed instanceof TakenOver) {
                    logger.warn(
                            "The writes of the delivery {} were rolled back, because another node has taken it over, or a person has retried it or given it up",
                            text(delivery));
                } else {
                    failed(listener, picked, failed, next);
                }
                return;
            }
            if (ended == null) {
                ended = store.done(delivery);
            }
            if (ended == Ended.LOST) {
                logger.warn(
                        "The listener has handled the delivery {}, but too late: another node has taken it over and delivers it again, or a person has retried it or given it up",
                        text(delivery));
            } else {
                notifier.happened(listener.id(), DeliveryEvent.DELIVERED, delivery);
            }
            if (ended == Ended.OTHERS_FOLLOW) {
                next.now();
            }
        } catch (RuntimeException failed) {
            logger.warn(
                    "Could not record the outcome of the delivery {}. The event is delivered again when the lease ends, unless the outcome was recorded nevertheless",
                    text(delivery),
                    failed);
        }
    }

    /**
     * Calls the listener. Returns how the delivery ended if the listener's transaction has ended it, otherwise null. A failure after the
     * commit of that transaction is only logged, because the delivery has ended.
     */
    private @Nullable Ended deliver(ListenerMethod listener, PickedUp picked) {
        AtomicReference<@Nullable Ended> committed = new AtomicReference<>();
        try {
            deliver(listener, picked, committed);
        } catch (RuntimeException | Error failed) {
            if (committed.get() == null) {
                throw failed;
            }
            logger.warn(
                    "The delivery {} is done, and the transaction of its listener was committed, but a failure occurred after the commit",
                    text(picked.delivery()),
                    failed);
        }
        return committed.get();
    }

    private void deliver(ListenerMethod listener, PickedUp picked, AtomicReference<@Nullable Ended> committed) {
        boolean[] called = new boolean[1];
        context.with(picked.tenant(), picked.carried(), listener.id(), () -> {
            called[0] = true;
            Object event = payloads.read(picked.payload(), listener.event());
            try {
                if (listener.delivering().isTransactional()) {
                    AtomicReference<@Nullable Ended> ended = new AtomicReference<>();
                    transactions.run(
                            "The delivery %s".formatted(picked.delivery().key()),
                            () -> call(listener, event, picked.delivery()),
                            result -> ended.set(doneInTransaction(picked.delivery())));
                    committed.set(ended.get());
                } else {
                    Object unused = call(listener, event, picked.delivery());
                }
            } catch (RuntimeException | Error thrown) {
                throw thrown;
            } catch (Throwable thrown) {
                throw new Thrown(thrown);
            }
        });
        if (!called[0]) {
            throw new IllegalStateException(
                    "A RunCarrier has not called the work, so the listener was not called. Let it call the work exactly once.");
        }
    }

    private @Nullable Object call(ListenerMethod listener, @Nullable Object event, Delivery delivery) throws Exception {
        listener.call(beans.apply(listener.bean()), event, delivery);
        return null;
    }

    private Ended doneInTransaction(Delivery delivery) {
        Ended ended = store.done(delivery);
        if (ended == Ended.LOST) {
            throw new TakenOver();
        }
        return ended;
    }

    private void failed(ListenerMethod listener, PickedUp picked, Throwable failure, Next next) {
        Delivery delivery = picked.delivery();
        Retry retry = listener.delivering().retry();
        boolean again = delivery.attempt() < listener.delivering().attempts()
                && retry.allowsAfter(delivery.attempt())
                && retry.covers(failure);
        Duration named = again ? retry.delayNamedBy(failure) : null;
        Duration pause = !again
                ? Duration.ZERO
                : named == null ? retry.pauseAfter(delivery.attempt(), ThreadLocalRandom.current()) : named;
        if (!store.failed(delivery, pause, !again, FailureText.of(failure))) {
            logger.warn(
                    "The delivery {} failed. Another node has taken it over, or a person has retried it or given it up",
                    text(delivery),
                    failure);
        } else if (again) {
            logger.warn(
                    "The delivery {} failed. The next attempt follows in {}",
                    text(delivery),
                    DurationText.of(pause),
                    failure);
            notifier.happened(listener.id(), DeliveryEvent.FAILED, delivery);
            next.in(pause);
        } else {
            logger.error(
                    "Parked delivery {}: its retry policy allows no further attempt. The delivery waits until a person retries it or gives it up, and so do later deliveries of its key",
                    text(delivery),
                    failure);
            notifier.happened(listener.id(), DeliveryEvent.PARKED, delivery);
        }
    }

    /** Releases a delivery without counting the attempt, because the listener did not cause the attempt's end. */
    void release(PickedUp picked, Duration pause) {
        boolean unused = store.release(picked.delivery(), pause);
    }

    static String text(Delivery delivery) {
        return "%s (attempt %d)".formatted(delivery.key(), delivery.attempt());
    }
}
