package io.sagaspring.workflow;

import static io.sagaspring.shop.Shop.SYSTEM;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.entity.DirtyContextException;
import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Under open-in-view a request has a persistence context and a connection before it runs a step. The pool has one
 * connection, so a step that needs a second connection fails.
 */
@ParameterizedClass
@EnumSource(names = {"DEFAULTS", "NO_AUTO_COMMIT_AND_SERIALIZABLE"})
class OpenInViewTests {

    private static @Nullable TestDatabase database;
    private static @Nullable Shop opened;

    @BeforeParameterizedClassInvocation
    static void open(PoolSettings settings) {
        database = TestDatabase.create(MigratedSchema.class);
        opened = Shop.open(
                database,
                settings.and(
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "spring.datasource.hikari.connection-timeout=30000",
                        "saga.due.poll-interval=1h"));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        shop().close();
        java.util.Objects.requireNonNull(database).close();
    }

    private static Shop shop() {
        return java.util.Objects.requireNonNull(opened);
    }

    private final Shop shop = shop();
    private final long parcel;

    OpenInViewTests(PoolSettings settings) {
        assertThat(settings).isNotNull();
        parcel = shop.pack();
        shop.script().validation = (entity, context) -> List.of();
        shop.script().afterEffect = (entity, context) -> {};
        acting((entity, context) -> ActionResult.success());
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    /** The pool has one connection, and three requests are executing at the same time. */
    @Test
    void waitingWorkUnderAKeyAndALeaseHoldsNoConnection() throws Exception {
        CyclicBarrier all = new CyclicBarrier(3);
        List<CompletableFuture<Integer>> requests = new ArrayList<>();
        for (String each : List.of("one", "two", "three")) {
            requests.add(OwnThread.call(() -> {
                AtomicReference<Integer> reply = new AtomicReference<>();
                inView(view -> {
                    try (Lease lease = shop.bean(LeaseManager.class).acquire(LeaseName.of("view", each))) {
                        assertThat(lease.token()).isNotNull();
                        reply.set(shop.bean(Idempotency.class)
                                .execute(IdempotencyKey.of("view", each + parcel), Integer.class, () -> awaited(all)));
                    }
                });
                return reply.get();
            }));
        }

        for (CompletableFuture<Integer> each : requests) {
            assertThat(each.get(30, SECONDS)).isEqualTo(7);
        }
    }

    private static int awaited(CyclicBarrier all) {
        try {
            all.await(20, SECONDS);
            return 7;
        } catch (Exception alone) {
            throw new IllegalStateException("The others did not come this far", alone);
        }
    }

    @Test
    void anActionGetsAFreshEntityAndNotTheStaleEntityOfTheRequest() {
        inView(view -> {
            Parcel seen = view.find(Parcel.class, parcel);
            shop.database()
                    .sql("UPDATE parcel SET note = 'fresh', version = version + 1 WHERE id = ?")
                    .param(parcel)
                    .update();
            acting((entity, context) -> {
                assertThat(entity).isNotSameAs(seen);
                assertThat(entity.note()).isEqualTo("fresh");
                assertThat(entity.status()).isEqualTo(Parcel.Status.SENDING);
                return ActionResult.success();
            });

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        });
    }

    @Test
    void thePersistenceContextShowsTheResultOfASuccessfulStep() {
        inView(view -> {
            view.find(Parcel.class, parcel);
            acting((entity, context) -> {
                entity.note("sent");
                return ActionResult.success();
            });

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);

            Parcel now = view.find(Parcel.class, parcel);
            assertThat(now.status()).isEqualTo(Parcel.Status.SENT);
            assertThat(now.note()).isEqualTo("sent");
            assertThat(now.version()).isEqualTo(2);
        });
    }

    @Test
    void aFailedStepLeavesNoChangesInThePersistenceContext() {
        inView(view -> {
            AtomicReference<Parcel> half = new AtomicReference<>();
            acting((entity, context) -> {
                entity.note("half");
                half.set(entity);
                return ActionResult.failure("no courier");
            });

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Failed.class);

            assertThat(view.contains(half.get())).isFalse();
            Parcel now = view.find(Parcel.class, parcel);
            assertThat(now.status()).isEqualTo(Parcel.Status.PACKED);
            assertThat(now.note()).isEmpty();
        });
    }

    @Test
    void aStepIsRefusedIfThePersistenceContextHasUnsavedChanges() {
        inView(view -> {
            view.find(Parcel.class, parcel).note("unsaved");

            assertThatExceptionOfType(DirtyContextException.class)
                    .isThrownBy(() -> shop.send(parcel))
                    .withMessageContaining("open-in-view");
            assertThat(view.find(Parcel.class, parcel).note()).isEqualTo("unsaved");
        });
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void anActionWithoutAClaimAlsoGetsAFreshEntity() {
        inView(view -> {
            view.find(Parcel.class, parcel);
            shop.database()
                    .sql("UPDATE parcel SET note = 'fresh', version = version + 1 WHERE id = ?")
                    .param(parcel)
                    .update();
            acting((entity, context) -> {
                assertThat(entity.note()).isEqualTo("fresh");
                return ActionResult.success();
            });

            assertThat(shop.workflows().run("parcel", parcel, "send", SYSTEM))
                    .isInstanceOf(TransitionOutcome.Completed.class);
            assertThat(shop.workflows().run("parcel", parcel, "lose", SYSTEM))
                    .isInstanceOf(TransitionOutcome.Completed.class);
        });
    }

    @Test
    void concurrentRequestsCompleteTheirStepsWithOneConnection() throws Exception {
        List<Long> many = Stream.generate(shop::pack).limit(4).toList();
        List<CompletableFuture<Void>> requests = many.stream()
                .map(each -> OwnThread.run(() -> inView(view -> {
                    view.find(Parcel.class, each);
                    assertThat(shop.send(each)).isInstanceOf(TransitionOutcome.Completed.class);
                })))
                .toList();
        for (CompletableFuture<Void> request : requests) {
            request.get(30, SECONDS);
        }
    }

    @Test
    @ExpectsErrors("is committed. The failure came after the commit")
    void aCommitWithALostAcknowledgementIsCheckedOverAnotherConnection() {
        inView(view -> {
            view.find(Parcel.class, parcel);
            shop.interference().with(new Interference.Around() {
                private final AtomicBoolean behind = new AtomicBoolean();

                @Override
                public void after(String sql, Connection connection) throws SQLException {
                    if (Statements.isNamed(sql, "claim.remove")) {
                        behind.set(true);
                    }
                    if (sql.equals("COMMIT") && behind.getAndSet(false)) {
                        endBackendOf(connection);
                        // Here the pool notices that the connection is broken, as it would if no answer arrived.
                        connection.createStatement().execute("SELECT 1");
                    }
                }
            });

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        });
        assertThat(shop.status(parcel)).isEqualTo("SENT");
    }

    @Test
    void aStepIsRefusedInsideAnyTransactionEvenIfTheTransactionIsReadOnly() {
        for (boolean readOnly : new boolean[] {true, false}) {
            TransactionTemplate outer = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
            outer.setReadOnly(readOnly);

            assertThatExceptionOfType(ActiveTransactionException.class)
                    .isThrownBy(() -> outer.executeWithoutResult(status -> shop.send(parcel)));
            inView(view -> assertThatExceptionOfType(ActiveTransactionException.class)
                    .isThrownBy(() -> outer.executeWithoutResult(status -> shop.send(parcel))));
        }
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    /** If a connection is taken in a scope without a transaction, Spring keeps the connection until the scope ends. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                TransactionDefinition.PROPAGATION_SUPPORTS,
                TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
                TransactionDefinition.PROPAGATION_NEVER
            })
    void aStepInAScopeWithoutATransactionTakesNoSecondConnection(int propagation) {
        TransactionTemplate scope = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
        scope.setPropagationBehavior(propagation);

        scope.executeWithoutResult(
                status -> assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class));

        long other = shop.pack();
        inView(view -> scope.executeWithoutResult(
                status -> assertThat(shop.send(other)).isInstanceOf(TransitionOutcome.Completed.class)));
    }

    @Test
    void aSecondStepOfARequestSeesTheResultOfTheFirstStep() {
        inView(view -> {
            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
            assertThat(shop.workflows().run("parcel", parcel, "lose", SYSTEM))
                    .isInstanceOf(TransitionOutcome.Completed.class);
            assertThat(view.find(Parcel.class, parcel).status()).isEqualTo(Parcel.Status.LOST);
        });
    }

    /** After the step, the application's own transactions use the connection of the request. */
    @Test
    void aStepLeavesTheIsolationOfTheRequestsTransactionsUnchanged() {
        inView(view -> {
            String before = isolation();

            assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);

            assertThat(isolation()).isEqualTo(before);
        });
    }

    private String isolation() {
        return shop.inTransaction(entities ->
                (String) entities.createNativeQuery("SELECT current_setting('transaction_isolation')", String.class)
                        .getSingleResult());
    }

    private interface Request {
        void with(EntityManager view);
    }

    /** Binds an entity manager for a request, as Spring's open-in-view interceptor does. */
    private void inView(Request request) {
        EntityManagerFactory factory = shop.bean(EntityManagerFactory.class);
        EntityManager view = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
        try {
            request.with(view);
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            view.close();
        }
    }

    private void endBackendOf(Connection connection) throws SQLException {
        int pid = connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();
        shop.database()
                .sql("SELECT pg_terminate_backend(?, 5000)")
                .param(pid)
                .query()
                .singleRow();
    }

    private void acting(StepAction<Parcel> action) {
        shop.script().action = action;
    }
}
