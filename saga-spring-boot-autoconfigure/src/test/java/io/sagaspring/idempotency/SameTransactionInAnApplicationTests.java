package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.CommandLineRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests same-transaction keys with JPA, with several pool settings and inside the application's transactions. */
class SameTransactionInAnApplicationTests {

    private static final IdempotencyKey KEY = IdempotencyKey.of("note", "request-1");

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    record Noted(long version) {}

    /** Reads the version when the reply is written, because JPA sets it only then. */
    static final class Seen {
        private final LongSupplier version;

        Seen(Parcel parcel) {
            this.version = parcel::version;
        }

        @JsonCreator
        Seen(@JsonProperty("version") long version) {
            this.version = () -> version;
        }

        public long getVersion() {
            return version.getAsLong();
        }
    }

    @Test
    void theReplyContainsTheStateAfterTheFlush() {
        try (Shop shop = Shop.open(database)) {
            long id = shop.pack();
            EntityManager entities = shop.bean(EntityManager.class);
            Idempotency idempotency = shop.bean(Idempotency.class).inTransaction();
            idempotency.execute(KEY, Seen.class, () -> {
                Parcel parcel = entities.find(Parcel.class, id);
                parcel.note("changed");
                return new Seen(parcel);
            });

            assertThat(idempotency.execute(KEY, Noted.class, () -> new Noted(-1)))
                    .isEqualTo(new Noted(shop.version(id)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theWorkUsesThePoolsIsolationLevelAndDuplicatesWaitForTheWork(PoolSettings settings) throws Exception {
        try (Shop shop = Shop.open(database, settings.and())) {
            Idempotency idempotency = shop.bean(Idempotency.class).inTransaction();
            JdbcClient jdbc = shop.bean(JdbcClient.class);
            CountDownLatch arrived = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            AtomicInteger done = new AtomicInteger();
            CompletableFuture<String> first = OwnThread.call(() -> idempotency.execute(KEY, String.class, () -> {
                arrived.countDown();
                await(released);
                done.incrementAndGet();
                return jdbc.sql("SHOW transaction_isolation")
                        .query(String.class)
                        .single();
            }));
            assertThat(arrived.await(20, SECONDS)).isTrue();
            CompletableFuture<String> second =
                    OwnThread.call(() -> anotherNode(shop).execute(KEY, String.class, () -> {
                        done.incrementAndGet();
                        return "again";
                    }));
            awaitWaiter(shop);
            released.countDown();

            String isolation = switch (settings) {
                case REPEATABLE_READ -> "repeatable read";
                case SERIALIZABLE, NO_AUTO_COMMIT_AND_SERIALIZABLE -> "serializable";
                default -> "read committed";
            };
            assertThat(first.get(20, SECONDS)).isEqualTo(isolation);
            assertThat(second.get(20, SECONDS)).isEqualTo(isolation);
            assertThat(done).hasValue(1);
        }
    }

    /** A second node is needed, because callers of one node wait for each other before they use the database. */
    private static Idempotency anotherNode(Shop shop) {
        return new Idempotency(
                        shop.bean(IdempotencyKeys.class),
                        new TransactionalKeys(
                                shop.bean(KeyStore.class),
                                shop.bean(DataSource.class),
                                () -> shop.bean(PlatformTransactionManager.class),
                                () -> 2),
                        new JsonPayloadCodec(1_000))
                .inTransaction();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static void awaitWaiter(Shop shop) {
        Awaitility.await()
                .atMost(20, SECONDS)
                .until(() -> shop.database()
                                .sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
                                .query(Integer.class)
                                .single()
                        > 0);
    }

    /** The transaction's snapshot is older than the reply. Only the caller can begin the transaction again. */
    @Test
    void aTransactionThatCannotSeeTheReplyIsRefused() {
        try (Shop shop = Shop.open(database)) {
            Idempotency idempotency = shop.bean(Idempotency.class).inTransaction();
            TransactionTemplate old = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
            old.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

            assertThatExceptionOfType(DuplicateRequestException.class)
                    .isThrownBy(() -> old.executeWithoutResult(status -> {
                        shop.bean(JdbcClient.class)
                                .sql("SELECT count(*) FROM parcel")
                                .query(Integer.class)
                                .single();
                        OwnThread.call(() -> idempotency.execute(KEY, String.class, () -> "done"))
                                .join();
                        idempotency.execute(KEY, String.class, () -> "done twice");
                    }));
            assertThat(idempotency.execute(KEY, String.class, () -> "done twice"))
                    .isEqualTo("done");
        }
    }

    @Test
    void aReadOnlyTransactionIsRefusedWithAReason() {
        try (Shop shop = Shop.open(database)) {
            TransactionTemplate reading = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
            reading.setReadOnly(true);

            assertThatIllegalStateException()
                    .isThrownBy(() -> reading.execute(status ->
                            shop.bean(Idempotency.class).inTransaction().execute(KEY, String.class, () -> "done")))
                    .withMessageContaining("the transaction is read-only");
        }
    }

    /**
     * With this setting of the transaction manager, the caller decides whether the failure of one part makes the whole
     * transaction fail.
     */
    @Test
    void aCaughtExceptionLeavesNoKeyBehind() {
        try (Shop shop = Shop.open(database)) {
            JpaTransactionManager transactions = shop.bean(JpaTransactionManager.class);
            transactions.setGlobalRollbackOnParticipationFailure(false);
            TransactionTemplate transaction = new TransactionTemplate(transactions);
            Idempotency idempotency = shop.bean(Idempotency.class).inTransaction();

            assertThatExceptionOfType(org.springframework.transaction.UnexpectedRollbackException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> assertThatIllegalStateException()
                            .isThrownBy(() -> idempotency.execute(KEY, String.class, () -> {
                                throw new IllegalStateException("declined");
                            }))));

            assertThat(shop.database()
                            .sql("SELECT count(*) FROM saga_idempotency_key")
                            .query(Integer.class)
                            .single())
                    .isZero();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Early {

        @Bean
        CommandLineRunner early(Idempotency idempotency) {
            return arguments -> idempotency.inTransaction().execute(KEY, String.class, () -> "done");
        }
    }

    @Test
    void theFirstCallNeedsOnlyOneConnection() {
        try (Shop shop = Shop.open(
                database,
                application -> application.sources(Early.class),
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.connection-timeout=30000")) {
            assertThat(shop.bean(Idempotency.class).execute(KEY, String.class, () -> "done twice"))
                    .isEqualTo("done");
        }
    }
}
