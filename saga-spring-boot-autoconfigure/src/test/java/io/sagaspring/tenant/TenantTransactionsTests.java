package io.sagaspring.tenant;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.lease.Lease;
import io.sagaspring.lease.LeaseManager;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests calls in a transaction of a tenant that has a database of its own. Runs, keys and leases are in the home
 * database. Such a transaction cannot commit them, so the library refuses the call.
 */
class TenantTransactionsTests {

    private static final String REFUSED =
            "cannot be committed in this transaction, because tenant 'a' has a database of its own";

    private static final List<String> executed = new CopyOnWriteArrayList<>();
    private static final TestDatabase home = TestDatabase.create(MigratedSchema.class);
    private static final TestDatabase ofA = TenantDatabases.database();
    private static final TestDatabase ofB = TenantDatabases.database();
    private static final TenantShop shop = open();

    @Configuration(proxyBeanMethods = false)
    @Import(TenantDatabases.Provided.class)
    static class Application {

        @Bean
        Moving moving() {
            return new Moving();
        }
    }

    static class Moving implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String input) {
            run.step("look", () -> executed.add("look"));
            if (input.equals("commit")) {
                run.transactionalStep("move", () -> executed.add("move"));
            }
            return "moved";
        }
    }

    private static TenantShop open() {
        JdbcClient.create(home.dataSource())
                .sql("CREATE TABLE desk (number bigint, status text, version bigint, note text)")
                .update();
        List<String> settings = new ArrayList<>(Arrays.asList(TenantApplication.settings(Desk.class)));
        settings.add("test.databases.a=" + ofA.getJdbcUrl());
        settings.add("test.databases.b=" + home.getJdbcUrl());
        return TenantShop.open(home, Map.of("a", ofA, "b", ofB), Application.class, settings.toArray(String[]::new));
    }

    @AfterAll
    static void close() {
        shop.close();
        List.of(ofA, ofB, home).forEach(TestDatabase::close);
    }

    private static <T> T inTransactionOf(String tenant, Supplier<T> work) {
        return shop.as(tenant, () -> shop.shop().inTransaction(entities -> work.get()));
    }

    private static RunId start(String input) {
        return shop.bean(Runs.class)
                .start(Moving.class, input, RunOptions.within(Duration.ofHours(1)))
                .id();
    }

    private static int rows(TestDatabase database, String table) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT count(*) FROM " + table)
                .query(Integer.class)
                .single();
    }

    @Test
    void aTransactionalStepIsRefusedBeforeItsCodeRuns() {
        executed.clear();
        RunId run = shop.as("a", () -> start("commit"));

        await().atMost(20, SECONDS)
                .until(() -> shop.bean(Runs.class).find(run).orElseThrow().error() != null);

        assertThat(shop.bean(Runs.class).find(run).orElseThrow().error()).contains(REFUSED);
        assertThat(executed).containsExactly("look");
    }

    @Test
    void aRunWithoutTransactionalStepsIsExecuted() {
        RunId run = shop.as("a", () -> start("look"));

        await().atMost(20, SECONDS)
                .until(() -> shop.bean(Runs.class).find(run).orElseThrow().state() == RunState.COMPLETED);
        assertThat(rows(ofA, "saga_run")).isZero();
    }

    @Test
    void aTransactionalStepOfATenantInTheHomeDatabaseCommits() {
        RunId run = shop.as("b", () -> start("commit"));

        await().atMost(20, SECONDS)
                .until(() -> shop.bean(Runs.class).find(run).orElseThrow().state() == RunState.COMPLETED);
    }

    @Test
    void startingARunInATransactionIsRefusedButReadingARunIsNot() {
        RunId before = shop.as("a", () -> start("look"));

        assertThatIllegalStateException()
                .isThrownBy(() -> inTransactionOf("a", () -> start("look")))
                .withMessageContaining(REFUSED);
        assertThat(inTransactionOf("a", () -> shop.bean(Runs.class).find(before)))
                .isPresent();
        assertThat(rows(ofA, "saga_run")).isZero();
    }

    @Test
    void aSameTransactionKeyIsRefusedBeforeItsWorkRuns() {
        Idempotency once = shop.bean(Idempotency.class);
        IdempotencyKey key = IdempotencyKey.of("pay", "1");
        executed.clear();

        assertThatIllegalStateException()
                .isThrownBy(() -> shop.as(
                        "a", () -> once.inTransaction().execute(key, Boolean.class, () -> executed.add("paid"))))
                .withMessageContaining(REFUSED);

        assertThat(executed).isEmpty();
        assertThat(rows(ofA, "saga_idempotency_key")).isZero();
        assertThat(shop.as("a", () -> once.execute(key, Boolean.class, () -> executed.add("paid"))))
                .isTrue();
    }

    @Test
    void aGuardOfALeaseInATransactionIsRefused() {
        LeaseManager leases = shop.bean(LeaseManager.class);
        try (Lease lease = shop.as("a", () -> leases.acquire(LeaseName.of("job")))) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> inTransactionOf("a", lease::guard))
                    .withMessageContaining(REFUSED);
            assertThat(lease.guard().isHeld()).isTrue();
        }
    }
}
