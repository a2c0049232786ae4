package io.sagaspring.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Keeper;
import io.sagaspring.shop.OwnThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A holder that has lost its lease, or cannot tell whether it still holds the lease, is stopped and notified of the
 * reason.
 */
class LostLeasesTests extends LeasesInMemory {

    @Test
    void aHolderThatIsCutOffIsStoppedBeforeItsLeaseEnds() throws Exception {
        Lease lease = leases.acquire(NAME);
        AtomicInteger notifications = new AtomicInteger();
        lease.onLoss(notifications::incrementAndGet);
        Working working = new Working(lease);
        store.cut = true;
        pass(HEARTBEAT);
        keeper.beat();
        assertThat(lease.isLost()).isFalse();

        pass(Duration.ofSeconds(11));
        keeper.beat();

        assertThat(leases.tryAcquire(NAME)).isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(lease.isLost()).isTrue();
        assertThat(lease.guard()).isEqualTo(new Guard.LeaseExpired());
        assertThat(lease.renew()).isFalse();
        assertThat(notifications).hasValue(1);
        working.requireLost("the database could not be reached in time");
    }

    /** The store behaves like a server that accepts requests and never replies. */
    @Test
    void onlyTheHoldersOfLeasesInAHangingStoreAreStopped() throws Exception {
        UnreliableStore other = new UnreliableStore();
        // The keeper waits a quarter of a heartbeat interval for a reply, by the real clock.
        Duration heartbeat = Duration.ofMillis(800);
        Duration ttl = heartbeat.multipliedBy(3);
        store.hanging = new CountDownLatch(1);
        try (Keeper quick = new Keeper(new NoDatabase(), heartbeat, time::get)) {
            Lease hanging = new LeaseManager(store, quick, "node", ttl, List.of()).acquire(NAME);
            Lease healthy = new LeaseManager(other, quick, "node", ttl, List.of()).acquire(NAME);
            for (int each = 0; each < 3; each++) {
                pass(heartbeat);
                quick.beat();
            }

            assertThat(quick.trouble()).isInstanceOf(TimeoutException.class);
            assertThat(hanging.isLost()).isTrue();
            // The store that was called first may have replied once before the other store hung.
            pass(heartbeat);
            quick.beat();
            assertThat(healthy.isLost()).isFalse();
            assertThat(healthy.guard().isHeld()).isTrue();
        } finally {
            store.hanging.countDown();
        }
    }

    @Test
    void aHolderThatWasPausedIsStoppedAndCannotAffectTheNextHolder() throws Exception {
        Lease lease = leases.acquire(NAME);
        Working working = new Working(lease);
        pass(TTL.plusSeconds(1));
        Lease successor = leases.acquire(NAME);
        keeper.beat();

        working.requireLost("it was taken over");
        assertThat(lease.guard()).isEqualTo(new Guard.AlreadyClaimed(successor.token()));
        assertThat(lease.complete(Completion.PASSED)).isEqualTo(new Guard.AlreadyClaimed(successor.token()));
        lease.close();
        assertThat(successor.guard().isHeld()).isTrue();
        assertThat(successor.token()).isGreaterThan(lease.token());
    }

    /**
     * The machine may have been suspended between {@code acquire} and {@code during}, without a heartbeat since then.
     */
    @Test
    void workDoesNotBeginUnderAnExpiredLease() {
        Lease lease = leases.acquire(NAME);
        pass(TTL.plusSeconds(1));

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> lease.during(() -> {
                    throw new AssertionError("begun");
                }))
                .withMessageContaining("the database could not be reached in time");
    }

    /** Work may consist of several pieces. The lease may be lost between two pieces or during a piece. */
    @Test
    void aLaterPieceOfWorkIsStoppedWhenTheLeaseIsLost() throws Exception {
        Lease lease = leases.acquire(NAME);
        assertThat(lease.during(() -> "the first")).isEqualTo("the first");
        Working second = new Working(lease);
        pass(TTL.plusSeconds(1));
        leases.acquire(NAME);
        keeper.beat();

        second.requireLost("it was taken over");
    }

    @Test
    void anIdleHolderIsNotifiedThatItsLeaseWasLost() throws Exception {
        Lease lease = leases.acquire(NAME);
        String unused = lease.during(() -> "done");
        leases.release(NAME, lease.token());
        keeper.beat();

        assertThat(lease.isLost()).isTrue();
        assertThat(events).contains(LeaseEvent.LOST);
    }

    @Test
    void requireHeldNamesTheReasonWhyTheLeaseIsNotHeld() {
        Lease lease = leases.acquire(NAME);
        lease.requireHeld();
        pass(TTL.plusSeconds(1));
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining("the lease has expired or was released");
        FencingToken successor = leases.acquire(NAME).token();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining("another caller has acquired it since (token %s)".formatted(successor));
        leases.complete(NAME, successor, Completion.PASSED);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining("the work was recorded as complete (PASSED)");
    }

    /** The store measures the time from some moment before its reply arrives. */
    @Test
    void aLeaseIsTimedFromTheRequestNotFromTheReply() {
        store.cut = true;
        store.afterAnswer = () -> pass(Duration.ofSeconds(21));
        Lease acquired = leases.acquire(NAME);
        keeper.beat();
        assertThat(acquired.isLost()).isTrue();

        Lease again = leases.reattach(NAME, acquired.token()).orElseThrow();
        keeper.beat();
        assertThat(again.isLost()).isTrue();
    }

    /** A piece of work may be nested in another piece. */
    @Test
    void workIsStillStoppedAfterANestedPieceHasEnded() throws Exception {
        Lease lease = leases.acquire(NAME);
        Working working = new Working(lease, () -> lease.during(() -> "the piece within"));
        pass(TTL.plusSeconds(1));
        leases.acquire(NAME);
        keeper.beat();

        working.requireLost("it was taken over");
    }

    @Test
    void everyThreadThatWorksUnderALostLeaseIsStopped() throws Exception {
        Lease lease = leases.acquire(NAME);
        Working one = new Working(lease);
        Working other = new Working(lease);
        pass(TTL.plusSeconds(1));
        leases.acquire(NAME);
        keeper.beat();

        one.requireLost("it was taken over");
        other.requireLost("it was taken over");
    }

    @Test
    void aHolderWhoseCompletionFailedIsNotifiedOfTheLossOfItsLease() {
        Lease lease = leases.acquire(NAME);
        store.failing = true;
        assertThatIllegalStateException().isThrownBy(() -> lease.complete(Completion.PASSED));
        leases.release(NAME, lease.token());
        leases.acquire(NAME);
        keeper.beat();

        assertThat(lease.isLost()).isTrue();
    }

    /** The failed completion already shows that the lease was taken over, but the holder must still be notified. */
    @Test
    void aHolderThatCompletesALeaseThatWasTakenOverIsStillNotified() {
        Lease lease = leases.acquire(NAME);
        leases.release(NAME, lease.token());
        Lease successor = leases.acquire(NAME);

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> lease.during(() -> {
                    Guard guard = lease.complete(Completion.PASSED);
                    keeper.beat();
                    return guard;
                }));
        assertThat(successor.guard().isHeld()).isTrue();
    }

    /** A closed keeper no longer renews the lease. */
    @Test
    void aHolderThatKeepsWorkingWhenItsNodeClosesIsStopped() throws Exception {
        Working working = new Working(leases.acquire(NAME));
        keeper.close();

        working.requireLost("this node is shutting down");
        assertThat(leases.acquire(LeaseName.of("other")).isLost()).isTrue();
    }

    /** Works until it is interrupted. */
    private static final class Working {

        private final CompletableFuture<Object> end;

        Working(Lease lease) throws InterruptedException {
            this(lease, () -> "nothing yet");
        }

        Working(Lease lease, Callable<String> first) throws InterruptedException {
            CountDownLatch begun = new CountDownLatch(1);
            end = OwnThread.call(() -> work(lease, first, begun));
            assertThat(begun.await(20, SECONDS)).isTrue();
        }

        private static Object work(Lease lease, Callable<String> first, CountDownLatch begun) {
            try {
                return lease.during(() -> {
                    String unused = first.call();
                    begun.countDown();
                    new CountDownLatch(1).await();
                    return "done";
                });
            } catch (LeaseLostException lost) {
                assertThat(Thread.currentThread().isInterrupted())
                        .as("interrupted after the work")
                        .isFalse();
                throw lost;
            } catch (Exception unexpected) {
                throw new AssertionError(unexpected);
            }
        }

        void requireLost(String reason) {
            assertThat(end)
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(LeaseLostException.class)
                    .withMessageContaining(reason);
        }
    }
}
