package io.sagaspring.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.lease.LeaseStore.Attempt;
import io.sagaspring.lease.LeaseStore.Found;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every store of leases must pass. Extend this class to test your own store. Every test uses a new name. */
public abstract class LeaseStoreContract extends LeaseStoreContractForTenants {

    private final LeaseName name = LeaseName.of("contract", UUID.randomUUID().toString());

    /** Lets time pass for a lease, by the clock of the store. */
    protected abstract void pass(LeaseName name, Duration duration);

    private FencingToken acquired() {
        Attempt attempt = attempt();
        Found found = store().acquire(name, attempt);
        assertThat(found.attempt()).isEqualTo(attempt.id());
        return found.token();
    }

    private void requireRefused() {
        Attempt attempt = attempt();
        assertThat(another().acquire(name, attempt).attempt()).isNotEqualTo(attempt.id());
    }

    private HeldLease held(FencingToken token) {
        return new HeldLease("lease", name.text(), token);
    }

    @Test
    public void aHeldLeaseIsRefusedToOtherCallers() {
        Attempt first = attempt();
        Found mine = store().acquire(name, first);

        Found found = another().acquire(name, attempt());

        assertThat(found.attempt()).isEqualTo(first.id());
        assertThat(found.token()).isEqualTo(mine.token());
        assertThat(found.completion()).isNull();
        assertThat(found.remaining()).isPositive().isLessThanOrEqualTo(TTL);
        assertThat(found.isTaken()).isTrue();
    }

    /** A caller repeats its attempt if the reply was lost. */
    @Test
    public void aRepeatedAttemptFindsTheLeaseItAcquired() {
        Attempt attempt = attempt();
        Found first = store().acquire(name, attempt);
        Found second = store().acquire(name, attempt);

        assertThat(second.attempt()).isEqualTo(attempt.id());
        assertThat(second.token()).isEqualTo(first.token());
    }

    @Test
    public void anUnusedNameIsUnknown() {
        assertThat(store().find(name)).isEmpty();
        assertThat(store().renew(name, new FencingToken(1))).isFalse();
        assertThat(store().reattach(name, new FencingToken(1), TTL)).isFalse();
        assertThat(store().release(name, new FencingToken(1))).isFalse();
        assertThat(store().complete(name, new FencingToken(1), Completion.PASSED))
                .isFalse();
        assertThat(store().find(name)).isEmpty();
    }

    @Test
    public void tokensGrowAcrossReleasesExpiriesAndProcesses() {
        List<FencingToken> tokens = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            Found found = (round % 2 == 0 ? store() : another()).acquire(name, attempt());
            tokens.add(found.token());
            if (round % 3 == 0) {
                pass(name, TTL.plusSeconds(1));
            } else {
                assertThat(store().release(name, found.token())).isTrue();
            }
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    public void anExpiredLeaseCanBeAcquiredAgain() {
        FencingToken token = acquired();
        pass(name, TTL.plusSeconds(1));

        assertThat(store().renew(name, token)).isFalse();
        assertThat(store().release(name, token)).isFalse();
        assertThat(acquired()).isGreaterThan(token);
    }

    @Test
    public void aRenewalRestartsTheTimeOfALease() {
        FencingToken token = acquired();
        pass(name, TTL.minusSeconds(20));
        assertThat(store().renew(name, token)).isTrue();
        pass(name, TTL.minusSeconds(20));

        requireRefused();
        assertThat(store().find(name))
                .hasValueSatisfying(found ->
                        assertThat(found.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20)));
    }

    @Test
    public void aPreviousHolderCannotChangeTheLeaseOfTheNextHolder() {
        FencingToken old = acquired();
        pass(name, TTL.plusSeconds(1));
        FencingToken successor = acquired();

        assertThat(store().renew(name, old)).isFalse();
        assertThat(store().reattach(name, old, TTL)).isFalse();
        assertThat(store().release(name, old)).isFalse();
        assertThat(store().complete(name, old, Completion.SKIPPED)).isFalse();

        requireRefused();
        assertThat(store().renew(name, successor)).isTrue();
    }

    @Test
    public void aLeaseCannotBeReleasedTwice() {
        FencingToken token = acquired();

        assertThat(store().release(name, token)).isTrue();
        assertThat(store().release(name, token)).isFalse();
        assertThat(store().renew(name, token)).isFalse();
        assertThat(store().find(name).filter(Found::isTaken)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    public void aCompletedLeaseStaysCompleted(Completion completion) {
        FencingToken token = acquired();

        assertThat(store().complete(name, token, completion)).isTrue();
        assertThat(store().complete(name, token, completion)).isTrue();
        assertThat(store().complete(name, token, other(completion))).isFalse();

        Found found = another().acquire(name, attempt());
        assertThat(found.completion()).isEqualTo(completion);
        assertThat(found.token()).isEqualTo(token);
        assertThat(store().renew(name, token)).isFalse();
        assertThat(store().reattach(name, token, TTL)).isFalse();
        assertThat(store().release(name, token)).isFalse();
        pass(name, TTL.plusSeconds(1));
        requireRefused();
    }

    private static Completion other(Completion completion) {
        return completion == Completion.PASSED ? Completion.SKIPPED : Completion.PASSED;
    }

    @Test
    public void aHolderCanCompleteAnExpiredLeaseThatNoOtherCallerAcquired() {
        FencingToken token = acquired();
        pass(name, TTL.plusSeconds(1));

        assertThat(store().complete(name, token, Completion.PASSED)).isTrue();
    }

    @Test
    public void aHolderCanReattachALeaseThatNoOtherCallerAcquired() {
        FencingToken token = acquired();
        assertThat(another().reattach(name, token, TTL)).isTrue();
        pass(name, TTL.plusSeconds(1));
        assertThat(another().reattach(name, token, TTL)).isTrue();

        requireRefused();
        assertThat(store().release(name, token)).isTrue();
        assertThat(another().reattach(name, token, TTL)).isTrue();
        assertThat(store().release(name, token)).isTrue();
        assertThat(acquired()).isGreaterThan(token);
    }

    @Test
    public void theKeeperRenewsOnlyLeasesThatAreStillHeld() throws Exception {
        FencingToken token = acquired();
        HeldLease mine = held(token);
        Set<HeldLease> both = Set.of(mine, held(new FencingToken(token.value() - 1)));
        pass(name, TTL.minusSeconds(20));

        assertThat(store().renew(connecting(), both)).containsExactly(mine);
        pass(name, TTL.minusSeconds(20));
        requireRefused();
        assertThat(store().stillHeld(connecting(), both)).containsExactly(mine);

        pass(name, TTL.plusSeconds(1));
        assertThat(store().renew(connecting(), both)).isEmpty();
        assertThat(store().stillHeld(connecting(), both)).isEmpty();
    }

    /** Two leases with different names may have equal tokens. */
    @Test
    public void theKeeperDistinguishesLeaseNames() throws Exception {
        LeaseName lost = LeaseName.of("contract", UUID.randomUUID().toString());
        HeldLease given = new HeldLease(
                "lease", lost.value(), store().acquire(lost, attempt()).token());
        HeldLease mine = held(acquired());
        assertThat(store().release(lost, given.token())).isTrue();

        assertThat(store().renew(connecting(), Set.of(given, mine))).containsExactly(mine);
        assertThat(store().stillHeld(connecting(), Set.of(given, mine))).containsExactly(mine);
    }

    @ParameterizedTest
    @ValueSource(strings = {"A/a", "ä", "a b", "'; DROP TABLE saga_lease; --", "{a}", "*", "😀"})
    public void similarNamesIdentifyDifferentLeases(String suffix) {
        acquired();
        LeaseName other = new LeaseName(name + suffix);
        Attempt attempt = attempt();

        assertThat(store().acquire(other, attempt).attempt()).isEqualTo(attempt.id());
    }

    @Test
    public void onlyOneOfManyRacingCallersAcquiresALease() throws Exception {
        int racers = 8;
        ExecutorService threads = Executors.newFixedThreadPool(racers);
        try {
            FencingToken last = new FencingToken(Long.MIN_VALUE);
            for (int round = 0; round < 100; round++) {
                CyclicBarrier start = new CyclicBarrier(racers);
                List<Future<Boolean>> racing = new ArrayList<>();
                for (int racer = 0; racer < racers; racer++) {
                    LeaseStore store = racer % 2 == 0 ? store() : another();
                    racing.add(threads.submit(() -> {
                        Attempt attempt = attempt();
                        start.await(20, SECONDS);
                        return store.acquire(name, attempt).attempt().equals(attempt.id());
                    }));
                }
                int won = 0;
                for (Future<Boolean> each : racing) {
                    won += each.get(20, SECONDS) ? 1 : 0;
                }
                FencingToken token = store().find(name).orElseThrow().token();
                assertThat(won).isOne();
                assertThat(token).isGreaterThan(last);
                assertThat(store().release(name, token)).isTrue();
                last = token;
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /**
     * Whatever the order of the calls, the store returns the same results as the model, which is a simple store in
     * memory.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    public void everySeriesOfCallsReturnsTheSameResultsAsTheModel(long seed) throws Exception {
        Random random = new Random(seed);
        for (int history = 0; history < 5; history++) {
            new History(LeaseName.of("contract", UUID.randomUUID().toString()), random).run(60);
        }
    }

    /** Makes the same calls on a store and on the model. The model issues different tokens, but in the same order. */
    private final class History {

        private final LeaseName name;
        private final Random random;
        private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
        private final LeaseStore model = new MemoryLeaseStore(time::get, Duration.ofDays(1));
        private final List<FencingToken> tokens = new ArrayList<>();
        private final List<FencingToken> modelTokens = new ArrayList<>();
        private final List<String> calls = new ArrayList<>();

        History(LeaseName name, Random random) {
            this.name = name;
            this.random = random;
        }

        void run(int length) throws Exception {
            acquire();
            for (int call = 0; call < length; call++) {
                LeaseStore store = random.nextBoolean() ? store() : another();
                int which = random.nextInt(3) == 0 ? random.nextInt(tokens.size()) : tokens.size() - 1;
                FencingToken token = tokens.get(which);
                FencingToken modelToken = modelTokens.get(which);
                Completion completion = random.nextBoolean() ? Completion.PASSED : Completion.SKIPPED;
                switch (random.nextInt(12)) {
                    case 0, 1, 2 -> acquire();
                    case 3, 4 -> pass(Duration.ofSeconds(25));
                    case 5 -> pass(TTL.plusSeconds(5));
                    case 6 -> same("renew " + which, store.renew(name, token), model.renew(name, modelToken));
                    case 7 -> same("release " + which, store.release(name, token), model.release(name, modelToken));
                    case 8 ->
                        same(
                                "reattach " + which,
                                store.reattach(name, token, TTL),
                                model.reattach(name, modelToken, TTL));
                    case 9 ->
                        same(
                                "heartbeat " + which,
                                store.renew(connecting(), Set.of(held(token))).size(),
                                model.renew(NO_CONNECTION, Set.of(held(modelToken)))
                                        .size());
                    case 10 ->
                        same(
                                "still held " + which,
                                store.stillHeld(connecting(), Set.of(held(token)))
                                        .size(),
                                model.stillHeld(NO_CONNECTION, Set.of(held(modelToken)))
                                        .size());
                    default -> {
                        if (random.nextInt(5) == 0) {
                            same(
                                    completion + " " + which,
                                    store.complete(name, token, completion),
                                    model.complete(name, modelToken, completion));
                        }
                    }
                }
                same("find", known(store.find(name), tokens), known(model.find(name), modelTokens));
            }
        }

        private void acquire() {
            Attempt attempt = attempt();
            Found found = (random.nextBoolean() ? store() : another()).acquire(name, attempt);
            Found expected = model.acquire(name, attempt);
            boolean mine = expected.attempt().equals(attempt.id());
            same("acquire", found.attempt().equals(attempt.id()), mine);
            if (mine) {
                tokens.add(found.token());
                modelTokens.add(expected.token());
                assertThat(tokens).isSorted().doesNotHaveDuplicates();
            }
            same("found", known(Optional.of(found), tokens), known(Optional.of(expected), modelTokens));
        }

        private void pass(Duration duration) {
            calls.add(duration + " pass");
            LeaseStoreContract.this.pass(name, duration);
            time.updateAndGet(now -> now.plus(duration));
        }

        private static String known(Optional<Found> found, List<FencingToken> tokens) {
            return found.map(each ->
                            "%d %s %s".formatted(tokens.indexOf(each.token()), each.completion(), each.isTaken()))
                    .orElse("unknown");
        }

        private HeldLease held(FencingToken token) {
            return new HeldLease("lease", name.text(), token);
        }

        private void same(String call, Object answer, Object expected) {
            calls.add(call + ": " + answer);
            assertThat(answer).as(() -> String.join("\n", calls)).isEqualTo(expected);
        }
    }
}
