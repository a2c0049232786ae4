package io.sagaspring.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.shop.OwnThread;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lease has one holder at a time, until its holder releases or completes it. */
class LeaseManagerTests extends LeasesInMemory {

    @Test
    void aLeaseHasOneHolderAtATime() {
        try (Lease lease = leases.acquire(NAME)) {
            assertThat(lease.guard()).isEqualTo(new Guard.Held(TTL));
            assertThat(leases.tryAcquire(NAME)).isEqualTo(new Acquisition.AlreadyClaimed(lease.token(), TTL));
            assertThatExceptionOfType(LeaseRefusedException.class)
                    .isThrownBy(() -> leases.acquire(NAME))
                    .withMessage(
                            "Another caller holds the lease on 'dunning/loop-1' (token 1). The lease expires in 30 s unless it is renewed. Try again later, or wait for it with LeaseManager.waiting(…) or @Leased(patience = …).");
        }

        try (Lease next = leases.acquire(NAME)) {
            assertThat(next.token()).isEqualTo(new FencingToken(2));
        }
        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void anOpenLeaseIsRenewed() {
        try (Lease lease = leases.acquire(NAME)) {
            for (int heartbeat = 0; heartbeat < 100; heartbeat++) {
                pass(HEARTBEAT);
                keeper.beat();
            }
            assertThat(lease.isLost()).isFalse();
            assertThat(lease.guard().isHeld()).isTrue();
        }
    }

    @Test
    void aCompletedLeaseIsNotAcquiredAgain() {
        Lease lease = leases.acquire(NAME);

        assertThat(lease.complete(Completion.SKIPPED)).isEqualTo(new Guard.AlreadyPassed(Completion.SKIPPED));
        lease.close();

        assertThat(leases.tryAcquire(NAME)).isEqualTo(new Acquisition.AlreadyPassed(Completion.SKIPPED));
        assertThatExceptionOfType(LeaseRefusedException.class)
                .isThrownBy(() -> leases.acquire(NAME))
                .withMessage("The work on 'dunning/loop-1' is complete (SKIPPED). Its lease cannot be acquired again.");
        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void aLeaseOfAnEndedProcessIsReattachedWithItsToken() {
        FencingToken stored = leases.acquire(NAME).token();
        pass(TTL.plusSeconds(1));

        Lease again = leases.reattach(NAME, stored).orElseThrow();

        assertThat(again.token()).isEqualTo(stored);
        assertThat(again.guard().isHeld()).isTrue();
        assertThat(leases.reattach(NAME, new FencingToken(stored.value() + 1))).isEmpty();
    }

    @Test
    void aWaitingCallerGetsTheLeaseWhenItIsReleased() throws Exception {
        Lease first = leases.acquire(NAME);
        CompletableFuture<Acquisition> second =
                OwnThread.call(() -> leases.waiting(Duration.ofSeconds(20)).tryAcquire(NAME));
        first.close();

        assertThat(second.get(20, SECONDS)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void theResultAndTheExceptionOfTheWorkArePassedOn() throws Exception {
        IOException thrown = new IOException("offline");

        assertThat(leases.during(NAME, () -> "done")).isEqualTo("done");
        assertThatThrownBy(() -> leases.during(NAME, () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(leases.tryAcquire(NAME)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void listenersAreNotifiedOfEachChangeOfALease() {
        Lease lease = leases.acquire(NAME);
        leases.tryAcquire(NAME);
        lease.close();
        Lease lost = leases.acquire(NAME);
        pass(TTL.plusSeconds(1));
        leases.acquire(NAME).complete(Completion.PASSED);
        leases.tryAcquire(NAME);
        keeper.beat();
        lost.close();

        assertThat(events)
                .containsExactly(
                        LeaseEvent.ACQUIRED,
                        LeaseEvent.TAKEN,
                        LeaseEvent.RELEASED,
                        LeaseEvent.ACQUIRED,
                        LeaseEvent.ACQUIRED,
                        LeaseEvent.COMPLETED,
                        LeaseEvent.PASSED,
                        LeaseEvent.LOST);
    }

    @Test
    void aHolderThatHasReleasedItsLeaseIsNotNotifiedOfALoss() {
        leases.acquire(NAME).close();
        keeper.beat();

        assertThat(events).containsExactly(LeaseEvent.ACQUIRED, LeaseEvent.RELEASED);
    }

    /** For a moment, the lease is released in the store, but the node does not know this yet. */
    @Test
    void aHolderThatIsReleasingItsLeaseIsNotNotifiedOfALoss() {
        store.afterAnswer = keeper::beat;
        leases.acquire(NAME).close();

        assertThat(events).containsExactly(LeaseEvent.ACQUIRED, LeaseEvent.RELEASED);
    }

    @Test
    void aWaitingCallerThatIsInterruptedIsRefusedAndStaysInterrupted() {
        leases.acquire(NAME);
        Thread.currentThread().interrupt();

        assertThat(leases.waiting(Duration.ofSeconds(10)).tryAcquire(NAME))
                .isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    /** If a listener throws an exception, the operation that notifies it must continue. */
    @Test
    void aListenerThatThrowsAnExceptionHasNoEffectOnALease() {
        LeaseManager listened = new LeaseManager(store, keeper, "node", TTL, List.of((name, event) -> {
            throw new IllegalStateException("the listener fails");
        }));

        Lease lease = listened.acquire(NAME);
        lease.onLoss(() -> {
            throw new IllegalStateException("the listener fails");
        });
        pass(TTL);
        keeper.beat();

        assertThat(lease.isLost()).isTrue();
        lease.close();
        assertThat(keeper.holds()).isEmpty();
    }

    /** The keeper would not renew a shorter lease in time. */
    @Test
    void aLeaseShorterThanTheConfiguredTtlIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leases.lasting(TTL.minusMillis(1)))
                .withMessageContaining("shorter than saga.leases.ttl (30 s)");
        assertThat(leases.lasting(TTL.multipliedBy(2)).acquire(NAME).guard())
                .isEqualTo(new Guard.Held(TTL.multipliedBy(2)));
    }

    @Test
    void leaseNamesAreCheckedWhenTheyAreCreated() {
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("a".repeat(256)));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("a\nb"));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("a\uD800"));
        assertThatIllegalArgumentException().isThrownBy(() -> LeaseName.of("dunning", "a/b"));
        assertThat(LeaseName.of("dunning", "loop", "story")).hasToString("dunning/loop/story");
    }

    /**
     * For example, a class may be missing after a deployment. This must neither end the heartbeats nor block a lease
     * forever.
     */
    @Test
    void aListenerThatThrowsAnErrorHasNoEffectOnALease() {
        LeaseManager listened = new LeaseManager(store, keeper, "node", TTL, List.of((name, event) -> {
            throw new NoClassDefFoundError("half deployed");
        }));
        Lease lease = listened.acquire(NAME);
        Lease other = leases.acquire(LeaseName.of("other"));
        Lease third = leases.acquire(LeaseName.of("third"));
        for (Lease each : List.of(lease, other, third)) {
            each.onLoss(() -> {
                throw new NoClassDefFoundError("half deployed");
            });
        }
        store.cut = true;
        pass(TTL);
        keeper.beat();

        assertThat(List.of(lease, other, third)).allMatch(Lease::isLost);
        lease.close();
    }

    @Test
    void workDoesNotBeginUnderALeaseThatWasReleased() {
        Lease lease = leases.acquire(NAME);
        lease.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> lease.during(() -> "done"))
                .withMessage(
                        "The lease on 'dunning/loop-1' (token 1) was closed, so no work can run under it. Run the work before close().");
    }
}
