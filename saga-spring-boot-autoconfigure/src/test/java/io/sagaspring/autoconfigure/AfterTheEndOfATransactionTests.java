package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.due.DueWork;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.KeyCheck;
import io.sagaspring.idempotency.KeyClaim;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunNotCompletedException;
import io.sagaspring.run.Runs;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Calls from a callback after the end of a transaction work and are durable. Applications often start work in a
 * callback, although the transaction does not commit the writes of the callback.
 */
@ParameterizedClass
@EnumSource(names = {"DEFAULTS", "NO_AUTO_COMMIT"})
class AfterTheEndOfATransactionTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private final Shop shop;
    private final Runs runs;
    private final TransactionTemplate transaction;
    private final JdbcClient client = JdbcClient.create(database.dataSource());

    AfterTheEndOfATransactionTests(PoolSettings settings) {
        this.shop = Shop.open(database, application -> application.sources(Waiting.class), settings.and());
        this.runs = shop.bean(Runs.class);
        this.transaction = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
    }

    @AfterEach
    void close() {
        shop.close();
        database.close();
    }

    static final class WaitForWord implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String input) {
            return input + " " + run.awaitSignal("word", String.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Waiting {
        @Bean
        WaitForWord waitForWord() {
            return new WaitForWord();
        }
    }

    private enum Callback {
        AFTER_COMMIT,
        AFTER_COMPLETION,
        AFTER_ROLLBACK
    }

    private <T> T in(Callback callback, Callable<T> work) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        transaction.executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    if (callback == Callback.AFTER_COMMIT) {
                        run();
                    }
                }

                @Override
                public void afterCompletion(int outcome) {
                    if (callback != Callback.AFTER_COMMIT) {
                        run();
                    }
                }

                private void run() {
                    try {
                        result.complete(work.call());
                    } catch (Throwable failed) {
                        result.completeExceptionally(failed);
                    }
                }
            });
            if (callback == Callback.AFTER_ROLLBACK) {
                status.setRollbackOnly();
            }
        });
        return result.get(0, TimeUnit.SECONDS);
    }

    private boolean exists(RunId id) {
        return client.sql("SELECT count(*) FROM saga_run WHERE id = ?")
                        .param(id.value())
                        .query(Long.class)
                        .single()
                == 1;
    }

    @Test
    void aCallFromACallbackIsDurableWhenItReturns() throws Exception {
        for (Callback each : Callback.values()) {
            RunHandle<String> run = in(each, () -> {
                RunHandle<String> started = runs.start(WaitForWord.class, each.name());
                assertThat(exists(started.id())).as("durable %s", each).isTrue();
                return started;
            });
            in(each, () -> runs.signal(run.id(), "word", "goes on"));
            assertThat(run.await(SOON)).isEqualTo(each + " goes on");

            RunHandle<String> another = in(each, () -> runs.start(WaitForWord.class, each.name()));
            assertThat(in(each, () -> runs.cancel(another.id(), "no longer needed")))
                    .isTrue();
            assertThatExceptionOfType(RunNotCompletedException.class).isThrownBy(() -> another.await(SOON));
        }
    }

    @Test
    void keysLeasesAndClaimsWorkInACallback() throws Exception {
        Idempotency keys = shop.bean(Idempotency.class);
        LeaseManager leases = shop.bean(LeaseManager.class);
        for (Callback each : Callback.values()) {
            IdempotencyKey key = IdempotencyKey.of("callback", each.name());
            IdempotencyKey sameTransaction = IdempotencyKey.of("same transaction", each.name());
            for (int again = 0; again < 2; again++) {
                int number = again;
                assertThat(in(each, () -> keys.execute(key, Integer.class, () -> number)))
                        .isZero();
                assertThat(in(each, () -> keys.inTransaction().execute(sameTransaction, Integer.class, () -> number)))
                        .isZero();
            }
            try (Lease lease = in(each, () -> leases.acquire(LeaseName.of("callback", each.name())))) {
                assertThat(lease.token()).isNotNull();
            }
            long parcel = shop.pack();
            assertThat(in(each, () -> shop.send(parcel))).isInstanceOf(TransitionOutcome.Completed.class);
            assertThat(shop.status(parcel)).isEqualTo("SENT");
        }
    }

    @Test
    void aRunDoesNotExistIfTheCallbackRollsBackItsOwnTransaction() throws Exception {
        RunId id = in(Callback.AFTER_COMMIT, () -> {
            TransactionTemplate inner = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            return Objects.requireNonNull(inner.execute(status -> {
                status.setRollbackOnly();
                RunId started = runs.start(WaitForWord.class, "never").id();
                assertThatExceptionOfType(IllegalTransactionStateException.class)
                        .isThrownBy(() -> runs.cancel(started, "inside"));
                return started;
            }));
        });

        assertThat(exists(id)).isFalse();
    }

    @Test
    void aCallInsideATransactionDoesNotCommitTheTransaction() {
        KeyClaim claim =
                ((KeyCheck.New) shop.bean(IdempotencyKeys.class).check(IdempotencyKey.of("inside", "fail"))).claim();
        Map<String, Runnable> calls = Map.of(
                "a key is given up",
                claim::fail,
                "parked work is listed",
                () -> assertThat(shop.bean(DueWork.class).parked(null, 1)).isEmpty());
        List<String> committed = new ArrayList<>();
        calls.forEach((call, work) -> {
            Long parcel = transaction.execute(status -> {
                EntityManager entities = shop.bean(EntityManager.class);
                Parcel packed = new Parcel();
                entities.persist(packed);
                entities.flush();
                work.run();
                status.setRollbackOnly();
                return packed.id();
            });
            if (client.sql("SELECT count(*) FROM parcel WHERE id = ?")
                            .param(parcel)
                            .query(Long.class)
                            .single()
                    != 0) {
                committed.add(call);
            }
        });

        assertThat(committed).isEmpty();
    }
}
