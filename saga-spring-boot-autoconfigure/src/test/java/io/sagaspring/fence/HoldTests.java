package io.sagaspring.fence;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.shop.OwnThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** If a hold is lost or lasts too long, only the work under this hold is interrupted. */
class HoldTests extends RenewedHolds {

    @Test
    void aHoldThatLastsTooLongIsStoppedAndNoLongerRenewed() {
        Hold hold = keep(1);
        while (hold.age().compareTo(MAXIMUM) < 0) {
            pass(HEARTBEAT);
            keeper.beat();
        }
        assertThat(hold.stop()).isNull();
        pass(Duration.ofMillis(1));
        keeper.beat();
        assertThat(hold.stop()).isEqualTo(Hold.Stop.TOO_LONG);

        rows.broken = true;
        keeper.beat();
        assertThat(keeper.trouble()).as("nothing is left to renew").isNull();
    }

    @Test
    void workIsInterruptedWhenItsHoldIsTakenOver() throws Exception {
        Hold hold = keep(1);
        CountDownLatch working = new CountDownLatch(1);
        AtomicBoolean leaked = new AtomicBoolean();
        CompletableFuture<Void> worker = OwnThread.run(() -> {
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> hold.during(() -> {
                        working.countDown();
                        return new CountDownLatch(1).await(20, SECONDS);
                    }));
            leaked.set(Thread.currentThread().isInterrupted());
        });
        working.await();

        rows.mine.clear();
        keeper.beat();

        worker.get(30, SECONDS);
        assertThat(hold.stop()).isEqualTo(Hold.Stop.TAKEN);
        assertThat(leaked).isFalse();
    }

    @Test
    void aRowRemovedByItsOwnerDoesNotCountAsTakenOver() throws Exception {
        Hold hold = keep(1);
        rows.locked.add(hold.held().token());
        hold.during(() -> {
            keeper.beat();
            return true;
        });
        rows.mine.clear();
        keeper.beat();

        assertThat(hold.stop()).isNull();
    }

    @Test
    void anInterruptThatTheWorkRestoresIsClearedAfterTheWork() throws Exception {
        Hold hold = keep(1);
        rows.mine.clear();

        hold.during(() -> {
            keeper.beat();
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            return true;
        });

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aThreadIsNotInterruptedAfterItsWork() throws Exception {
        Hold hold = keep(1);
        hold.during(() -> true);

        hold.stop(Hold.Stop.UNREACHABLE);

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void workDoesNotBeginAfterItsHoldWasTakenOver() {
        Hold hold = keep(1);
        hold.stop(Hold.Stop.TAKEN);
        AtomicBoolean begun = new AtomicBoolean();

        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> hold.during(() -> begun.getAndSet(true)))
                .withMessage("parcel 7 (token 1) is no longer held: it was taken over, or a person released it");
        assertThat(begun).isFalse();
    }

    @Test
    void anInterruptFromAnotherSourceStaysSet() throws Exception {
        Hold hold = keep(1);
        hold.during(() -> {
            Thread.currentThread().interrupt();
            return true;
        });

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void theKeeperForgetsAClosedHold() {
        try (Hold hold = keep(1)) {
            assertThat(keeper.holds()).containsExactly(hold);
        }

        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void aCallerThatAwaitsTheEndOfAHoldWaitsUntilTheHoldIsClosed() throws Exception {
        Hold hold = keep(1);
        keeper.awaitEnd(each -> each == hold, Duration.ofMillis(1));
        CompletableFuture<Void> waiting =
                OwnThread.run(() -> keeper.awaitEnd(each -> each == hold, Duration.ofMinutes(1)));
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> waiting.get(100, MILLISECONDS));
        hold.close();

        waiting.get(20, SECONDS);
    }

    @Test
    void anInterruptFromAnotherSourceIsTaken() {
        Hold hold = keep(1);
        Thread.currentThread().interrupt();

        assertThat(hold.takeForeignInterrupt()).isTrue();

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(hold.takeForeignInterrupt()).isFalse();
    }

    @Test
    void theInterruptOfAHoldIsNotTakenAsForeign() throws Exception {
        Hold hold = keep(1);
        hold.callInterruptibly(() -> {
            hold.stop(Hold.Stop.UNREACHABLE);
            assertThat(hold.takeForeignInterrupt()).isFalse();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return true;
        });
    }

    /** There are many more threads than processors, so the hold is stopped while threads pause at each instruction. */
    @Test
    void theInterruptOfAHoldIsNotTakenAsForeignWhileTheHoldIsStopped() throws Exception {
        for (int round = 0; round < 8; round++) {
            Hold hold = keep(1);
            AtomicBoolean taken = new AtomicBoolean();
            CountDownLatch working = new CountDownLatch(16);
            List<CompletableFuture<Void>> workers = new ArrayList<>();
            for (int worker = 0; worker < 16; worker++) {
                workers.add(OwnThread.run(() -> {
                    try {
                        hold.callInterruptibly(() -> {
                            working.countDown();
                            while (hold.stop() == null
                                    || !Thread.currentThread().isInterrupted()) {
                                if (hold.takeForeignInterrupt()) {
                                    taken.set(true);
                                    return false;
                                }
                            }
                            return true;
                        });
                    } catch (Exception failed) {
                        throw new IllegalStateException(failed);
                    }
                }));
            }
            working.await();
            hold.stop(Hold.Stop.UNREACHABLE);
            for (CompletableFuture<Void> worker : workers) {
                worker.get(20, SECONDS);
            }
            assertThat(taken).isFalse();
        }
    }
}
