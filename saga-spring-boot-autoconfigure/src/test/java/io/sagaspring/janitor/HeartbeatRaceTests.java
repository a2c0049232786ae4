package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.Hold;
import io.sagaspring.fence.Keeper;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Heartbeats, sweeps and the owner race for one claim. Most tests stop one of them at a critical statement. The fence
 * is the statement with which a step removes its claim by the token.
 */
class HeartbeatRaceTests extends SweptClaims {

    private static final String RENEWAL = "saga:claim.renew";

    @Test
    void aClaimThatIsRenewedAfterTheSweepHasFoundItStuckIsNotReverted() throws Exception {
        working(() -> {
            shop.silence(Duration.ofMinutes(6));
            Parked lock = shop.interference().park(LOCK_SILENT);
            CompletableFuture<Integer> sweeping = OwnThread.call(shop::sweep);
            lock.awaitArrival();
            keeper().beat();
            lock.letGo();
            sweeping.get(20, SECONDS);
            assertThat(shop.status(parcel)).isEqualTo("SENDING");
        });

        assertThat(shop.status(parcel)).isEqualTo("SENT");
    }

    @Test
    void aHeartbeatDoesNotWaitForASweepAndStopsWorkWithoutAClaim() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch inAction = new CountDownLatch(1);
        shop.script().action = (entity, context) -> {
            inAction.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stop) {
                interrupted.set(true);
                throw stop;
            }
            return ActionResult.success();
        };
        CompletableFuture<TransitionOutcome> working = sending();
        inAction.await();
        shop.silence(Duration.ofMinutes(6));
        Parked locked = shop.interference().parkAfter(LOCK_SILENT);
        CompletableFuture<Integer> sweeping = OwnThread.call(shop::sweep);
        locked.awaitArrival();

        OwnThread.run(keeper()::beat).get(30, SECONDS);
        assertThat(hold().stop()).as("before the sweep has decided").isNull();
        locked.letGo();
        assertThat(sweeping.get(20, SECONDS)).isOne();
        Hold hold = hold();
        keeper().beat();

        assertThat(hold.stop()).isEqualTo(Hold.Stop.TAKEN);
        assertThat(working.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(interrupted).isTrue();
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aStepEndsAsClaimLostIfItsHeartbeatComesAfterTheRevert() throws Exception {
        CountDownLatch inAction = new CountDownLatch(1);
        shop.script().action = (entity, context) -> {
            inAction.countDown();
            new CountDownLatch(1).await();
            return ActionResult.success();
        };
        CompletableFuture<TransitionOutcome> working = sending();
        inAction.await();
        Parked renewal = shop.interference().park(RENEWAL);
        CompletableFuture<Void> renewing = OwnThread.run(keeper()::beat);
        renewal.awaitArrival();

        assertThat(sweepAfterSilence()).isOne();
        renewal.letGo();
        renewing.get(20, SECONDS);

        assertThat(working.get(20, SECONDS)).isEqualTo(new TransitionOutcome.ClaimLost());
    }

    @Test
    void aTimelyHeartbeatSavesTheClaimFromTheSweep() throws Exception {
        working(() -> {
            shop.silence(Duration.ofMinutes(6));
            Parked renewed = shop.interference().parkAfter(RENEWAL);
            CompletableFuture<Void> renewing = OwnThread.run(keeper()::beat);
            renewed.awaitArrival();
            assertThat(shop.sweep()).isZero();
            renewed.letGo();
            renewing.get(20, SECONDS);
            assertThat(hold().stop()).isNull();
        });

        assertThat(shop.status(parcel)).isEqualTo("SENT");
    }

    @Test
    void aHeartbeatBetweenFenceAndCommitDoesNotMakeTheStepFail() throws Exception {
        Parked commit = parkCommitBehindFence();
        CompletableFuture<TransitionOutcome> finalising = sending();
        commit.awaitArrival();

        OwnThread.run(keeper()::beat).get(30, SECONDS);
        commit.letGo();

        assertThat(finalising.get(20, SECONDS)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    private interface Work {
        void go() throws Exception;
    }

    /** Sends the parcel, executes the work inside the action, and expects the step to complete. */
    private void working(Work work) {
        shop.script().action = (entity, context) -> {
            work.go();
            return ActionResult.success();
        };
        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
    }

    private static Keeper keeper() {
        return shop.bean(Keeper.class);
    }

    private static Hold hold() {
        return keeper().holds().iterator().next();
    }
}
