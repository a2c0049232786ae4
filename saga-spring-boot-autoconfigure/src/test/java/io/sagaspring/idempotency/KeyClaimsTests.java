package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.shop.OwnThread;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * A key has one claim at a time. A repeated request waits or is refused. It takes over the key only after the lease has
 * ended.
 */
class KeyClaimsTests extends KeysOnPostgres {

    @Test
    void aDuplicateDuringTheWorkIsRefusedWithARetryDelay() {
        idempotency.execute(KEY, Receipt.class, () -> {
            assertThatExceptionOfType(DuplicateRequestException.class)
                    .isThrownBy(() -> payOnce(KEY))
                    .satisfies(refused -> assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(5)));
            return pay();
        });

        assertThat(done).hasValue(1);
    }

    @Test
    void aWaitingDuplicateGetsTheReplyOfTheFirstRequest() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Receipt> first = OwnThread.call(() -> idempotency.execute(KEY, Receipt.class, () -> {
            begun.countDown();
            await(mayEnd);
            return pay();
        }));
        await(begun);
        CompletableFuture<Receipt> second =
                OwnThread.call(() -> idempotency.waiting(Duration.ofMinutes(1)).execute(KEY, Receipt.class, this::pay));

        mayEnd.countDown();

        assertThat(second.get(20, SECONDS)).isEqualTo(first.get(20, SECONDS));
        assertThat(done).hasValue(1);
    }

    /** If a waiting caller released the claim at its time-out, two executions of the work would overlap. */
    @Test
    void aDuplicateThatTimesOutLeavesTheClaimUnchanged() {
        idempotency.execute(KEY, Receipt.class, () -> {
            assertThatExceptionOfType(DuplicateRequestException.class)
                    .isThrownBy(
                            () -> idempotency.waiting(Duration.ofMillis(60)).execute(KEY, Receipt.class, this::pay));
            assertThat(rows()).isOne();
            return pay();
        });

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    @Test
    void aTakeoverAfterTheEndOfTheLeaseFencesOffTheCrashedOwner() {
        KeyClaim crashed = ((KeyCheck.New) keys.check(KEY)).claim();
        backdateLeases("15 seconds");
        assertThatExceptionOfType(DuplicateRequestException.class)
                .isThrownBy(() -> payOnce(KEY))
                .satisfies(refused ->
                        assertThat(refused.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(15)));
        backdateLeases("31 seconds");

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThatExceptionOfType(SupersededException.class)
                .isThrownBy(() -> crashed.complete(new StoredReply("json", null, new byte[0])));
        crashed.fail();
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(done).hasValue(1);
    }

    @Test
    void theKeeperRenewsTheClaimOfLongWork() {
        idempotency.execute(KEY, Receipt.class, () -> {
            backdateLeases("29 seconds");
            keeper.beat();
            assertThat(leaseLeft()).isGreaterThan(25);
            return pay();
        });

        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void workWhoseClaimWasTakenOverIsInterrupted() {
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> idempotency.execute(KEY, Receipt.class, () -> {
                    backdateLeases("31 seconds");
                    keys.check(KEY);
                    keeper.beat();
                    Thread.sleep(20_000);
                    return pay();
                }));
        assertThat(rows()).isOne();
        assertThat(done).hasValue(0);
    }

    /** A renewal must not turn a reply back into a claim, and must not extend another owner's claim. */
    @Test
    void aClaimWithAReplyOrANewTokenIsNotRenewed() {
        keys.check(KEY);
        keys.check(KEY.onAccount("8"));
        KeyClaim open = ((KeyCheck.New) keys.check(KEY.onAccount("9"))).claim();
        jdbc.sql("UPDATE saga_idempotency_key SET lease_until = NULL WHERE account = '7'")
                .update();
        jdbc.sql("UPDATE saga_idempotency_key SET token = nextval('saga_token') WHERE account = '8'")
                .update();
        backdateLeases("29 seconds", "account <> '7'");

        keeper.beat();

        assertThat(jdbc.sql("""
                        SELECT account FROM saga_idempotency_key
                        WHERE lease_until > clock_timestamp() + INTERVAL '20 seconds'""").query(String.class).list()).containsExactly("9");
        assertThat(jdbc.sql("SELECT account FROM saga_idempotency_key WHERE lease_until IS NULL")
                        .query(String.class)
                        .list())
                .containsExactly("7");
        open.fail();
    }

    @Test
    void aLockedClaimCountsAsHeldAndDoesNotDelayOtherRenewals() throws Exception {
        KeyClaim locked = ((KeyCheck.New) keys.check(KEY)).claim();
        keys.check(KEY.onAccount("8"));
        backdateLeases("29 seconds");
        try (Connection other = connections.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM saga_idempotency_key WHERE account = '7' FOR UPDATE");

            OwnThread.run(keeper::beat).get(20, SECONDS);

            assertThat(jdbc.sql("""
                            SELECT account FROM saga_idempotency_key
                            WHERE lease_until > clock_timestamp() + INTERVAL '20 seconds'""").query(String.class).list()).containsExactly("8");
            assertThat(keeper.trouble()).isNull();
            other.rollback();
        }
        assertThat(locked.during(() -> "went on")).isEqualTo("went on");
    }

    @Test
    void aWaitingDuplicateThatIsInterruptedIsRefusedAndStaysInterrupted() {
        keys.check(KEY);
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(DuplicateRequestException.class)
                .isThrownBy(() -> idempotency.waiting(Duration.ofSeconds(20)).execute(KEY, Receipt.class, this::pay));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(done).hasValue(0);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    void aDuplicateDoesNotWaitEndlesslyForASameTransactionKey() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Receipt> first =
                OwnThread.call(() -> idempotency.inTransaction().execute(KEY, Receipt.class, () -> {
                    arrived.countDown();
                    await(released);
                    return pay();
                }));
        assertThat(arrived.await(20, SECONDS)).isTrue();

        assertThatExceptionOfType(DuplicateRequestException.class).isThrownBy(() -> payOnce(KEY));
        released.countDown();
        assertThat(first.get(20, SECONDS)).isEqualTo(payOnce(KEY));
        assertThat(done).hasValue(1);
    }
}
