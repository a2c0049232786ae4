package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.shop.OwnThread;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Claim, work and reply are committed together: if the effect is rolled back, there is no key. */
class SameTransactionTests extends KeysInOneCommit {

    @Test
    void aRepeatedRequestIsExecutedOnceAndAnsweredTwice() {
        assertThat(creditOnce(500)).isEqualTo(500);
        assertThat(creditOnce(500)).isEqualTo(500);
        assertThat(sum()).isEqualTo(500);
    }

    @Test
    void anExceptionRollsBackTheEffectAndTheKey() {
        IOException thrown = new IOException("offline");

        assertThatThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    credit(500);
                    throw thrown;
                }))
                .isSameAs(thrown);

        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    @Test
    void anExceptionReachesTheCallerWhenTheRollbackFails() {
        IOException thrown = new IOException("offline");

        assertThatThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    assertThatThrownBy(() -> jdbc.sql("SELECT pg_terminate_backend(pg_backend_pid())")
                                    .query(Boolean.class)
                                    .single())
                            .isInstanceOf(DataAccessException.class);
                    throw thrown;
                }))
                .isSameAs(thrown);

        assertThat(thrown.getSuppressed()).hasSize(1);
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    /**
     * Spring does not roll back in this case. Without a rollback by the library, the connection would commit when it
     * returns to auto-commit mode.
     */
    @Test
    void aRefusedCommitRollsBackTheEffectAndTheClaim() {
        assertThatThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                            throw new IllegalTransactionStateException("refused");
                        }
                    });
                    return credit(500);
                }))
                .hasMessage("refused");

        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
    }

    @Test
    void aResultThatMeetsTheUnlessConditionFreesTheKeyAndCommitsTheWrites() {
        assertThat(idempotency().unless(result -> true).execute(KEY, Integer.class, () -> credit(500)))
                .isEqualTo(500);

        assertThat(rows()).isZero();
        assertThat(sum()).isEqualTo(500);
    }

    /** Nothing has been committed yet, so the effect can still be rolled back. */
    @Test
    void aReplyThatCannotBeStoredRollsBackTheEffect() {
        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> idempotency().execute(KEY, String.class, () -> {
                    credit(500);
                    return "R".repeat(2_000);
                }));

        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
    }

    @Test
    void theCallersTransactionDecidesAboutTheEffectAndTheKey() {
        transaction.executeWithoutResult(status -> {
            creditOnce(500);
            status.setRollbackOnly();
        });
        assertThat(sum()).isZero();
        assertThat(rows()).isZero();

        transaction.executeWithoutResult(status -> creditOnce(500));
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    @Test
    void everyRequestWithoutAnIdIsExecutedWithoutAKey() {
        IdempotencyKey none = IdempotencyKey.of("credit", null);

        assertThat(idempotency().execute(none, Integer.class, () -> credit(500)))
                .isEqualTo(500);
        assertThat(idempotency().execute(none, Integer.class, () -> credit(500)))
                .isEqualTo(1_000);
        assertThat(rows()).isZero();
    }

    /** The time-out applies only to the claim. The application decides how long its own statements wait. */
    @Test
    void theLockTimeoutIsRestoredBeforeTheWorkBegins() {
        transaction.executeWithoutResult(status -> {
            jdbc.sql("SET LOCAL lock_timeout = '7s'").update();
            idempotency().execute(KEY, Integer.class, () -> {
                assertThat(lockTimeout()).isEqualTo("7s");
                return 1;
            });
        });
        assertThat(idempotency().execute(KEY.onAccount("8"), String.class, SameTransactionTests::lockTimeout))
                .isEqualTo("0");
    }

    /**
     * The database's current time decides whether a key has expired. The start time of the transaction may be earlier.
     */
    @Test
    void aKeyThatExpiresDuringTheTransactionCountsAsAbsent() throws Exception {
        creditOnce(500);

        assertThat(OwnThread.call(() -> transaction.execute(status -> {
                            assertThat(sum()).isEqualTo(500);
                            separately(() -> jdbc.sql("UPDATE saga_idempotency_key SET expires_at = clock_timestamp()")
                                    .update());
                            return creditOnce(900);
                        }))
                        .get(20, SECONDS))
                .isEqualTo(1_400);
    }

    @Test
    void aLostClaimRollsBackTheEffect() {
        assertThatExceptionOfType(SupersededException.class)
                .isThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    jdbc.sql("DELETE FROM saga_idempotency_key").update();
                    return credit(500);
                }));

        assertThat(sum()).isZero();
    }

    private static String lockTimeout() {
        return jdbc.sql("SHOW lock_timeout").query(String.class).single();
    }
}
