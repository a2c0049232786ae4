package io.sagaspring.lease.method;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.Keeper;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.lease.Acquisition;
import io.sagaspring.lease.Completion;
import io.sagaspring.lease.Guard;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseLostException;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseRefusedException;
import io.sagaspring.lease.Leased;
import io.sagaspring.lease.Leased.IfTaken;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Applications;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Bean methods that are annotated with {@code @Leased} run under their leases in an application. */
@Timeout(120)
class LeasedMethodTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final ConfigurableApplicationContext context =
            Applications.start(Application.class, database, "office.patience=300ms", "office.ttl=10m");
    private static final Office office = context.getBean(Office.class);
    private static final LeaseManager leases = context.getBean("sagaLeases", LeaseManager.class);
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    static class Office {

        /** This field is static, because a proxy for this class has its own instance fields. */
        static final AtomicInteger done = new AtomicInteger();

        @Leased("'dun/' + #loop")
        public <T extends @Nullable Object> T dun(String loop, Supplier<T> work) {
            done.incrementAndGet();
            return work.get();
        }

        @Leased("#p0")
        public LeaseName named(@Nullable Object name) {
            return Lease.current().name();
        }

        @Leased(value = "'nightly'", ifTaken = IfTaken.SKIP)
        public void nightly(Runnable work) {
            done.incrementAndGet();
            work.run();
        }

        @Leased(value = "'patient'", patience = "${office.patience}")
        public void patient() {
            done.incrementAndGet();
        }

        @Leased(value = "'long'", ttl = "${office.ttl}")
        public Guard lasting() {
            return Lease.current().guard();
        }

        @Leased("'offline'")
        public void offline(IOException thrown) throws IOException {
            throw thrown;
        }

        @Leased("'transaction'")
        @Transactional
        public void inTransaction(Runnable work) {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            work.run();
        }

        @Leased("'once'")
        @Idempotent(requestId = "#id")
        public int once(String id) {
            return done.incrementAndGet();
        }
    }

    static class TransactionalOffice {

        @Idempotent(requestId = "#id")
        @Leased("'once'")
        @Transactional
        public int once(String id) {
            return Office.done.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Office office() {
            return new Office();
        }

        @Bean
        TransactionalOffice transactionalOffice() {
            return new TransactionalOffice();
        }

        /** A second lease manager. Methods with {@code @Leased} still use the bean that is named {@code sagaLeases}. */
        @Bean
        LeaseManager patientLeases(LeaseManager sagaLeases) {
            return sagaLeases.waiting(Duration.ofSeconds(1));
        }
    }

    @AfterAll
    static void close() {
        context.close();
        database.close();
    }

    @BeforeEach
    void deleteLeasesAndKeys() {
        jdbc.sql("DELETE FROM saga_lease").update();
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
        Office.done.set(0);
    }

    private static Lease hold(String name) {
        return leases.acquire(new LeaseName(name));
    }

    /** Returns true if another caller finds the lease taken. */
    private static boolean isTaken(String name) {
        return OwnThread.call(() -> {
                    Acquisition answer = leases.tryAcquire(new LeaseName(name));
                    if (answer instanceof Acquisition.Acquired acquired) {
                        acquired.lease().close();
                    }
                    return !(answer instanceof Acquisition.Acquired);
                })
                .orTimeout(20, SECONDS)
                .join();
    }

    @Test
    void aMethodRunsUnderItsLease() {
        String held = office.dun("1", () -> {
            assertThat(isTaken("dun/1")).isTrue();
            assertThat(isTaken("dun/2")).isFalse();
            return Lease.current().name().value();
        });

        assertThat(held).isEqualTo("dun/1");
        assertThat(isTaken("dun/1")).isFalse();
        assertThat(Office.done).hasValue(1);
    }

    @Test
    void aMethodWhoseLeaseIsTakenIsNotCalled() {
        try (Lease other = hold("dun/1")) {
            assertThatExceptionOfType(LeaseRefusedException.class)
                    .isThrownBy(() -> office.dun("1", () -> ""))
                    .satisfies(refused ->
                            assertThat(refused.acquisition()).isInstanceOf(Acquisition.AlreadyClaimed.class));
            assertThat(other.guard().isHeld()).isTrue();
        }
        assertThat(Office.done).hasValue(0);
    }

    @Test
    void aSkippedMethodIsNotCalledAndThrowsNothing() {
        try (Lease other = hold("nightly")) {
            office.nightly(() -> {});
            assertThat(other.guard().isHeld()).isTrue();
        }
        assertThat(Office.done).hasValue(0);

        office.nightly(() -> assertThat(isTaken("nightly")).isTrue());
        assertThat(isTaken("nightly")).isFalse();
        assertThat(Office.done).hasValue(1);
    }

    /** The method calls another method, which has its own lease. */
    @Test
    void aRefusalInsideASkippableMethodIsThrown() {
        try (Lease other = hold("dun/1")) {
            assertThatExceptionOfType(LeaseRefusedException.class)
                    .isThrownBy(() -> office.nightly(() -> office.dun("1", () -> "")))
                    .withMessageContaining(other.name().value());
        }
    }

    @Test
    void completedWorkIsNotExecutedAgain() {
        office.dun("1", () -> Lease.current().complete(Completion.PASSED));
        office.nightly(() -> Lease.current().complete(Completion.SKIPPED));

        assertThatExceptionOfType(LeaseRefusedException.class)
                .isThrownBy(() -> office.dun("1", () -> ""))
                .satisfies(refused ->
                        assertThat(refused.acquisition()).isEqualTo(new Acquisition.AlreadyPassed(Completion.PASSED)));
        office.nightly(() -> {});
        assertThat(Office.done).hasValue(2);
    }

    @Test
    void anExceptionIsPassedOnAndTheLeaseIsReleased() {
        IOException thrown = new IOException("offline");

        assertThatThrownBy(() -> office.offline(thrown)).isSameAs(thrown);
        assertThat(isTaken("offline")).isFalse();
    }

    @Test
    void aCallWaitsForAsLongAsItsAnnotationSays() {
        long before = System.nanoTime();
        try (Lease other = hold("patient")) {
            assertThatExceptionOfType(LeaseRefusedException.class)
                    .isThrownBy(office::patient)
                    .withMessageContaining(other.name().value());
        }

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(Office.done).hasValue(0);
    }

    @Test
    void aLeaseLastsForAsLongAsItsAnnotationSays() {
        assertThat(office.lasting())
                .isInstanceOfSatisfying(
                        Guard.Held.class, held -> assertThat(held.remaining()).isGreaterThan(Duration.ofMinutes(1)));
    }

    @Test
    void aMethodIsInterruptedWhenItsLeaseIsLost() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> call = OwnThread.call(() -> office.dun("1", () -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
                return "done";
            } catch (InterruptedException lost) {
                return "stopped";
            }
        }));
        assertThat(begun.await(20, SECONDS)).isTrue();
        jdbc.sql("UPDATE saga_lease SET expires_at = clock_timestamp()").update();

        try (Lease successor = hold("dun/1")) {
            context.getBean(Keeper.class).beat();

            assertThat(call)
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(LeaseLostException.class);
            assertThat(successor.guard().isHeld()).isTrue();
        }
    }

    @Test
    void aCurrentLeaseExistsOnlyWhileALeasedMethodRuns() {
        office.dun("outer", () -> {
            office.dun("inner", () -> assertThat(Lease.current().name()).hasToString("dun/inner"));
            assertThat(Lease.current().name()).hasToString("dun/outer");
            assertThat(OwnThread.run(Lease::current))
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining("has no current lease");
            return "";
        });

        assertThatIllegalStateException().isThrownBy(Lease::current).withMessageContaining("has no current lease");
    }

    @Test
    void aHolderCannotAcquireItsLeaseAgain() {
        office.dun("1", () -> {
            assertThatExceptionOfType(LeaseRefusedException.class)
                    .isThrownBy(() -> office.dun("1", () -> ""))
                    .satisfies(refused -> assertThat(refused.acquisition())
                            .isInstanceOfSatisfying(
                                    Acquisition.AlreadyClaimed.class,
                                    mine -> assertThat(mine.token())
                                            .isEqualTo(Lease.current().token())));
            assertThat(Lease.current().guard().isHeld()).isTrue();
            return "";
        });
        office.nightly(() -> office.nightly(() -> {}));
        assertThat(Office.done).hasValue(2);
    }

    @Test
    void theLeaseIsHeldUntilTheTransactionOfTheMethodHasCommitted() {
        boolean[] takenAfterCommit = new boolean[1];

        office.inTransaction(
                () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        takenAfterCommit[0] = isTaken("transaction");
                    }
                }));

        assertThat(takenAfterCommit).containsExactly(true);
        assertThat(isTaken("transaction")).isFalse();
    }

    @Test
    void aCallOfALeasedMethodInsideATransactionIsRefused() {
        TransactionTemplate transaction = context.getBean(TransactionTemplate.class);

        for (Runnable call : List.<Runnable>of(() -> office.dun("1", () -> ""), () -> office.nightly(() -> {}))) {
            assertThatExceptionOfType(IllegalTransactionStateException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> call.run()))
                    .withMessageContaining("inside an active transaction");
        }
        assertThat(Office.done).hasValue(0);
    }

    @Test
    void aCompletedRequestIsReplayedEvenIfAnotherCallerHoldsTheLease() {
        assertThat(office.once("r-1")).isEqualTo(1);
        assertThat(context.getBean(TransactionalOffice.class).once("r-1")).isEqualTo(2);
        try (Lease other = hold("once")) {
            assertThat(office.once("r-1")).isEqualTo(1);
            assertThat(context.getBean(TransactionalOffice.class).once("r-1")).isEqualTo(2);
            assertThatExceptionOfType(LeaseRefusedException.class)
                    .isThrownBy(() -> office.once("r-2"))
                    .withMessageContaining(other.name().value());
        }

        assertThat(office.once("r-2")).isEqualTo(3);
    }

    @Test
    void stringsNumbersEnumsAndLeaseNamesCanNameALease() {
        assertThat(office.named("text")).hasToString("text");
        assertThat(office.named(7)).hasToString("7");
        assertThat(office.named(Completion.PASSED)).hasToString("PASSED");
        assertThat(office.named(LeaseName.of("dun", "1"))).hasToString("dun/1");
    }

    @Test
    void aCallWithoutAValidLeaseNameIsRefused() {
        String unnamed = Office.class.getName() + ".named was not called because \"#p0\" gives no valid lease name. ";

        assertThatIllegalArgumentException()
                .isThrownBy(() -> office.named(null))
                .withMessage(unnamed
                        + "The value is null, but it must be a LeaseName, a string, a number or another simple value.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> office.named(new Object()))
                .withMessage(
                        unnamed
                                + "The value is of class java.lang.Object, but it must be a LeaseName, a string, a number or another simple value.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> office.named(" "))
                .withMessage(unnamed + "The name of the lease is empty or blank. Use 1 to 255 characters.");
    }
}
