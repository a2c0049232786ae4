package io.sagaspring.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;
import io.sagaspring.fence.Keeper;
import io.sagaspring.shop.OwnThread;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** What a holder may rely on, with a clock that the test sets. */
class LeaseManagerTests {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration BEAT = Duration.ofSeconds(10);
    private static final LeaseName NAME = LeaseName.of("dunning", "loop-1");

    private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
    private final Cut store = new Cut();

    private final List<LeaseEvent> events = new CopyOnWriteArrayList<>();

    @AutoClose
    private final Keeper keeper = new Keeper(new NoDatabase(), BEAT, time::get);

    private final LeaseManager leases =
            new LeaseManager(store, keeper, "node", TTL, List.of((name, event) -> events.add(event)));

    /** Leases without a database need none. */
    private static final class NoDatabase extends AbstractDataSource {

        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("There is no database.", "08001");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    /** A store that can be out of reach for the keeper. */
    private final class Cut implements LeaseStore {

        private final MemoryLeaseStore memory = new MemoryLeaseStore(time::get, Duration.ofDays(30));
        private boolean cut;
        private volatile @Nullable CountDownLatch hanging;
        private boolean failing;
        private Runnable answered = () -> {};

        @Override
        public Found acquire(LeaseName name, Attempt attempt) {
            Found found = memory.acquire(name, attempt);
            answered.run();
            return found;
        }

        @Override
        public Optional<Found> look(LeaseName name) {
            return memory.look(name);
        }

        @Override
        public boolean renew(LeaseName name, FencingToken token) {
            return memory.renew(name, token);
        }

        @Override
        public boolean reattach(LeaseName name, FencingToken token, Duration ttl) {
            boolean held = memory.reattach(name, token, ttl);
            answered.run();
            return held;
        }

        @Override
        public boolean release(LeaseName name, FencingToken token) {
            boolean released = memory.release(name, token);
            answered.run();
            return released;
        }

        @Override
        public boolean complete(LeaseName name, FencingToken token, Completion completion) {
            if (failing) {
                throw new IllegalStateException("out of order");
            }
            return memory.complete(name, token, completion);
        }

        @Override
        public int purge(int limit) {
            return memory.purge(limit);
        }

        @Override
        public Set<Held> renew(Connecting keeper, Collection<Held> held) throws Exception {
            CountDownLatch until = hanging;
            if (until != null) {
                until.await();
            }
            if (cut) {
                throw new IOException("cut off");
            }
            return memory.renew(keeper, held);
        }

        @Override
        public Set<Held> stillThere(Connecting keeper, Collection<Held> held) {
            return memory.stillThere(keeper, held);
        }
    }

    private void pass(Duration duration) {
        time.updateAndGet(now -> now.plus(duration));
    }

    @Test
    void oneHolderAtATime() {
        try (Lease lease = leases.acquire(NAME)) {
            assertThat(lease.guard()).isEqualTo(new Guard.Held(TTL));
            assertThat(leases.tryAcquire(NAME)).isEqualTo(new Acquisition.AlreadyClaimed(lease.token(), TTL));
            assertThatExceptionOfType(LeaseRefusedException.class)
                    .isThrownBy(() -> leases.acquire(NAME))
                    .withMessage(
                            "'dunning/loop-1' is held by somebody else (token 1), for PT30S if it is not renewed. Ask again later, or wait with waiting(…).");
        }

        try (Lease next = leases.acquire(NAME)) {
            assertThat(next.token()).isEqualTo(new FencingToken(2));
        }
        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void itIsKeptAliveAsLongAsItIsOpen() {
        try (Lease lease = leases.acquire(NAME)) {
            for (int beat = 0; beat < 100; beat++) {
                pass(BEAT);
                keeper.beat();
            }
            assertThat(lease.isLost()).isFalse();
            assertThat(lease.guard().isHeld()).isTrue();
        }
    }

    @Test
    void whoIsCutOffIsStoppedBeforeItsTimeIsOver() throws Exception {
        Lease lease = leases.acquire(NAME);
        AtomicInteger told = new AtomicInteger();
        lease.onLoss(told::incrementAndGet);
        Working working = new Working(lease);
        store.cut = true;
        pass(BEAT);
        keeper.beat();
        assertThat(lease.isLost()).isFalse();

        pass(Duration.ofSeconds(11));
        keeper.beat();

        assertThat(leases.tryAcquire(NAME)).isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(lease.isLost()).isTrue();
        assertThat(lease.guard()).isEqualTo(new Guard.LeaseExpired());
        assertThat(lease.renew()).isFalse();
        assertThat(told).hasValue(1);
        working.requireLost("the database could not be reached in time");
    }

    /** As a server that accepts what is sent, and never answers. */
    @Test
    void aStoreThatHangsStopsItsOwnHoldersAndNobodyElse() throws Exception {
        Cut other = new Cut();
        // For an answer it waits for a quarter of a beat, and not by the clock that the test sets.
        Duration beat = Duration.ofMillis(800);
        Duration ttl = beat.multipliedBy(3);
        store.hanging = new CountDownLatch(1);
        try (Keeper quick = new Keeper(new NoDatabase(), beat, time::get)) {
            Lease hanging = new LeaseManager(store, quick, "node", ttl, List.of()).acquire(NAME);
            Lease kept = new LeaseManager(other, quick, "node", ttl, List.of()).acquire(NAME);
            for (int each = 0; each < 3; each++) {
                pass(beat);
                quick.beat();
            }

            assertThat(quick.trouble()).isInstanceOf(TimeoutException.class);
            assertThat(hanging.isLost()).isTrue();
            // Whoever was asked first may have answered once, before the other hung.
            pass(beat);
            quick.beat();
            assertThat(kept.isLost()).isFalse();
            assertThat(kept.guard().isHeld()).isTrue();
        } finally {
            store.hanging.countDown();
        }
    }

    @Test
    void whoWasAsleepIsToldAndCannotTouchItsSuccessor() throws Exception {
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

    @Test
    void whatIsCompletedIsNotAcquiredAgain() {
        Lease lease = leases.acquire(NAME);

        assertThat(lease.complete(Completion.SKIPPED)).isEqualTo(new Guard.AlreadyPassed(Completion.SKIPPED));
        lease.close();

        assertThat(leases.tryAcquire(NAME)).isEqualTo(new Acquisition.AlreadyPassed(Completion.SKIPPED));
        assertThatExceptionOfType(LeaseRefusedException.class)
                .isThrownBy(() -> leases.acquire(NAME))
                .withMessage("The work on 'dunning/loop-1' is at its end: SKIPPED. It is not acquired again.");
        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void aLeaseOfAProcessThatIsGoneIsTakenUpAgain() {
        FencingToken stored = leases.acquire(NAME).token();
        pass(TTL.plusSeconds(1));

        Lease again = leases.reattach(NAME, stored).orElseThrow();

        assertThat(again.token()).isEqualTo(stored);
        assertThat(again.guard().isHeld()).isTrue();
        assertThat(leases.reattach(NAME, new FencingToken(stored.value() + 1))).isEmpty();
    }

    @Test
    void whoWaitsGetsItWhenItIsGivenUp() throws Exception {
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
    void whatBecomesOfItIsTold() {
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

    /** As after a sleep between the two, from which no beat has woken yet. */
    @Test
    void nothingIsBegunUnderALeaseWhoseTimeIsOver() {
        Lease lease = leases.acquire(NAME);
        pass(TTL.plusSeconds(1));

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> lease.during(() -> {
                    throw new AssertionError("begun");
                }))
                .withMessageContaining("the database could not be reached in time");
    }

    /** Work may come in pieces, and the lease may be lost between them or in any. */
    @Test
    void whatIsDoneInPiecesIsStoppedInEachOfThem() throws Exception {
        Lease lease = leases.acquire(NAME);
        assertThat(lease.during(() -> "the first")).isEqualTo("the first");
        Working second = new Working(lease);
        pass(TTL.plusSeconds(1));
        leases.acquire(NAME);
        keeper.beat();

        second.requireLost("it was taken over");
    }

    @Test
    void whoIsIdleIsToldThatItWasTakenOver() throws Exception {
        Lease lease = leases.acquire(NAME);
        String unused = lease.during(() -> "done");
        leases.release(NAME, lease.token());
        keeper.beat();

        assertThat(lease.isLost()).isTrue();
        assertThat(events).contains(LeaseEvent.LOST);
    }

    @Test
    void whoHasGivenItUpIsNotToldThatItWasTaken() {
        leases.acquire(NAME).close();
        keeper.beat();

        assertThat(events).containsExactly(LeaseEvent.ACQUIRED, LeaseEvent.RELEASED);
    }

    @Test
    void whoGoesOnOnlyWhileItIsHeldIsToldWhyNot() {
        Lease lease = leases.acquire(NAME);
        lease.requireHeld();
        pass(TTL.plusSeconds(1));
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining("its time is over, or it was given up");
        FencingToken successor = leases.acquire(NAME).token();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining("somebody else has acquired it since (token %s)".formatted(successor));
        leases.complete(NAME, successor, Completion.PASSED);
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining("the work on it is at its end, PASSED");
    }

    /** The row has gone a moment before the node knows. */
    @Test
    void whoIsGivingItUpIsNotToldThatItWasTaken() {
        store.answered = keeper::beat;
        leases.acquire(NAME).close();

        assertThat(events).containsExactly(LeaseEvent.ACQUIRED, LeaseEvent.RELEASED);
    }

    /** The store counts from some moment before its answer arrives. */
    @Test
    void whoGetsTheAnswerLateIsStoppedAsIfItWasKnownSinceTheQuestion() {
        store.cut = true;
        store.answered = () -> pass(Duration.ofSeconds(21));
        Lease acquired = leases.acquire(NAME);
        keeper.beat();
        assertThat(acquired.isLost()).isTrue();

        Lease again = leases.reattach(NAME, acquired.token()).orElseThrow();
        keeper.beat();
        assertThat(again.isLost()).isTrue();
    }

    @Test
    void whoIsInterruptedWhileItWaitsIsToldWhoHasItAndStaysInterrupted() {
        leases.acquire(NAME);
        Thread.currentThread().interrupt();

        assertThat(leases.waiting(Duration.ofSeconds(10)).tryAcquire(NAME))
                .isInstanceOf(Acquisition.AlreadyClaimed.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    /** Foreign code must not end what it is told of. */
    @Test
    void aListenerThatFailsChangesNothing() {
        LeaseManager listened = new LeaseManager(store, keeper, "node", TTL, List.of((name, event) -> {
            throw new IllegalStateException("told too much");
        }));

        Lease lease = listened.acquire(NAME);
        lease.onLoss(() -> {
            throw new IllegalStateException("told too much");
        });
        pass(TTL);
        keeper.beat();

        assertThat(lease.isLost()).isTrue();
        lease.close();
        assertThat(keeper.holds()).isEmpty();
    }

    /** The keeper would not be in time. */
    @Test
    void aShorterLeaseThanTheKeeperBeatsForIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> leases.lasting(TTL.minusMillis(1)))
                .withMessageContaining("saga.leases.ttl=PT30S");
        assertThat(leases.lasting(TTL.multipliedBy(2)).acquire(NAME).guard())
                .isEqualTo(new Guard.Held(TTL.multipliedBy(2)));
    }

    @Test
    void namesMustBeOfUse() {
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("a".repeat(256)));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("a\nb"));
        assertThatIllegalArgumentException().isThrownBy(() -> new LeaseName("a\uD800"));
        assertThatIllegalArgumentException().isThrownBy(() -> LeaseName.of("dunning", "a/b"));
        assertThat(LeaseName.of("dunning", "loop", "story")).hasToString("dunning/loop/story");
    }

    /** A piece may be done within another one. */
    @Test
    void whatFollowsAPieceWithinTheWorkIsStoppedToo() throws Exception {
        Lease lease = leases.acquire(NAME);
        Working working = new Working(lease, () -> lease.during(() -> "the piece within"));
        pass(TTL.plusSeconds(1));
        leases.acquire(NAME);
        keeper.beat();

        working.requireLost("it was taken over");
    }

    @Test
    void everyThreadThatWorksUnderItIsStopped() throws Exception {
        Lease lease = leases.acquire(NAME);
        Working one = new Working(lease);
        Working other = new Working(lease);
        pass(TTL.plusSeconds(1));
        leases.acquire(NAME);
        keeper.beat();

        one.requireLost("it was taken over");
        other.requireLost("it was taken over");
    }

    /** A class that is missing after a deployment is no reason to keep nobody alive, or a lease for ever. */
    @Test
    void anErrorOfAListenerChangesNothing() {
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
    void whoCouldNotCompleteItIsToldThatItWasTakenOver() {
        Lease lease = leases.acquire(NAME);
        store.failing = true;
        assertThatIllegalStateException().isThrownBy(() -> lease.complete(Completion.PASSED));
        leases.release(NAME, lease.token());
        leases.acquire(NAME);
        keeper.beat();

        assertThat(lease.isLost()).isTrue();
    }

    /** It does not matter who has read the answer. */
    @Test
    void whoCompletesWhatHasBeenTakenOverIsStillTold() {
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

    /** Nobody renews it any more. */
    @Test
    void whoGoesOnWhenTheNodeIsClosedIsStopped() throws Exception {
        Working working = new Working(leases.acquire(NAME));
        keeper.close();

        working.requireLost("this node closes");
        assertThat(leases.acquire(LeaseName.of("other")).isLost()).isTrue();
    }

    @Test
    void nothingIsDoneUnderALeaseThatWasGivenUp() {
        Lease lease = leases.acquire(NAME);
        lease.close();

        assertThatIllegalStateException()
                .isThrownBy(() -> lease.during(() -> "done"))
                .withMessage("The lease on 'dunning/loop-1' (token 1) was given up, and nothing is done under it.");
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
