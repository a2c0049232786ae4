package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.OwnThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A duplicate of a request with a same-transaction key waits and gets the same reply, or is refused. */
class SameTransactionDuplicatesTests extends KeysInOneCommit {

    @Test
    void aDuplicateWaitsForTheCommitAndGetsTheSameReply() throws Exception {
        Race race = new Race();
        CompletableFuture<Integer> second = race.whileFirstIsOpen(() -> creditOnce(500));

        assertThat(race.commit()).isEqualTo(500);
        assertThat(second.get(20, SECONDS)).isEqualTo(500);
        assertThat(sum()).isEqualTo(500);
    }

    @Test
    void aDuplicateIsExecutedWhenTheFirstRequestRollsBack() throws Exception {
        Race race = new Race();
        CompletableFuture<Integer> second = race.whileFirstIsOpen(() -> creditOnce(500));

        race.rollBack();
        assertThat(second.get(20, SECONDS)).isEqualTo(500);
        assertThat(sum()).isEqualTo(500);
    }

    @Test
    void aDuplicateIsRefusedWhenItsPatienceEnds() throws Exception {
        Race race = new Race();
        CompletableFuture<Integer> second =
                race.whileFirstIsOpen(() -> idempotency(Duration.ofMillis(50), connections, connections)
                        .execute(KEY, Integer.class, () -> credit(500)));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> second.get(20, SECONDS))
                .withCauseInstanceOf(DuplicateRequestException.class);
        race.commit();
        assertThat(sum()).isEqualTo(500);
    }

    @Test
    void aSameTransactionRequestIsRefusedWhileAnOrdinaryClaimOfItsKeyExists() {
        KeySettings settings = new KeySettings(
                Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ofSeconds(1));
        KeyStore store = new KeyStore(schema, "other", new OwnTransactions(connections), settings, List.of());
        KeyClaim claim = ((KeyCheck.New) new IdempotencyKeys(store, keeper).check(KEY)).claim();

        assertThatExceptionOfType(DuplicateRequestException.class).isThrownBy(() -> creditOnce(500));
        claim.fail();
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    @Test
    void aDifferentRequestWithTheSameKeyIsRefused() {
        creditOnce(500);

        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() ->
                        idempotency().execute(KEY.about(Fingerprint.of("900")), Integer.class, () -> credit(900)));
    }

    /** The first request, in a transaction that the test ends. */
    private final class Race {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);
        private boolean rollsBack;
        private final CompletableFuture<Integer> first = OwnThread.call(() -> transaction.execute(status -> {
            int result = creditOnce(500);
            begun.countDown();
            await(mayEnd);
            if (rollsBack) {
                status.setRollbackOnly();
            }
            return result;
        }));

        CompletableFuture<Integer> whileFirstIsOpen(Supplier<Integer> duplicate) {
            await(begun);
            CompletableFuture<Integer> second = OwnThread.call(duplicate);
            awaitWaiter(second);
            return second;
        }

        int commit() throws Exception {
            mayEnd.countDown();
            return first.get(20, SECONDS);
        }

        void rollBack() throws Exception {
            rollsBack = true;
            commit();
        }
    }

    private static void awaitWaiter(CompletableFuture<?> second) {
        Awaitility.await().until(() -> second.isDone() || LockWaits.in(jdbc, "key.claim") > 0);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
