package io.sagaspring.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.chaos.ForkedProcess;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.tenant.shared.Ticket;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A process is killed while it works for two tenants. Another node frees the entities of both tenants and delivers
 * their after-effects.
 */
@Tag("chaos")
class TenantKillTests {

    private static final int JOBS = 60;

    @Test
    void afterAKillBothTenantsOfASharedTableContinue(@TempDir Path logs) throws Exception {
        try (TestDatabase database = TenantColumnTests.database()) {
            goesOn(new Tenancy(database, Map.of(), TenantColumnTests.Shared.class, Ticket.class), logs);
        }
    }

    @Test
    void afterAKillBothTenantsWithTheirOwnSchemasContinue(@TempDir Path logs) throws Exception {
        try (TestDatabase database = TenantSchemas.database()) {
            goesOn(new Tenancy(database, Map.of(), TenantSchemaTests.Apart.class, Desk.class), logs);
        }
    }

    @Test
    void afterAKillBothTenantsWithTheirOwnDatabasesContinue(@TempDir Path logs) throws Exception {
        try (TestDatabase home = TestDatabase.create(MigratedSchema.class);
                TestDatabase ofA = TenantDatabases.database();
                TestDatabase ofB = TenantDatabases.database()) {
            goesOn(new Tenancy(home, Map.of("a", ofA, "b", ofB), TenantDatabases.Provided.class, Desk.class), logs);
        }
    }

    /** The databases of an application, and the entity that its tenants have. */
    private record Tenancy(
            TestDatabase home, Map<String, TestDatabase> databases, Class<?> configuration, Class<?> job) {

        String[] settings() {
            return Stream.concat(
                            Stream.concat(Stream.of(TenantApplication.settings(job)), Stream.of(TenantSources.POOLED)),
                            databases.entrySet().stream()
                                    .map(each -> "test.databases." + each.getKey() + "="
                                            + each.getValue().getJdbcUrl()))
                    .toArray(String[]::new);
        }
    }

    private static void goesOn(Tenancy tenancy, Path logs) throws Exception {
        Class<?> job = tenancy.job();
        try (TenantShop shop =
                TenantShop.open(tenancy.home(), tenancy.databases(), tenancy.configuration(), tenancy.settings())) {
            JdbcClient client = shop.shop().database();
            TenantLog.create(client);
            TenantApplication.acting = (entity, context) -> {
                entity.note("closed for " + shop.tenants().current());
                return ActionResult.success();
            };
            TenantApplication.following = TenantLog.following(shop.shop().context());
            for (long number = 1; number <= JOBS; number++) {
                shop.save("a", job, number);
                shop.save("b", job, number);
            }
            killUnderLoad(start(tenancy, logs.resolve("node.log")));

            assertThat(shop.claims()).isGreaterThanOrEqualTo(2);
            shop.silence(Duration.ofMinutes(6));
            int unused = shop.shop().sweep();
            assertThat(shop.claims()).isZero();
            // End the leases of the killed node, too.
            shop.all()
                    .forEach(each -> each.sql("UPDATE saga_due SET due_at = clock_timestamp()")
                            .update());
            finish(shop, job);

            shop.awaitNoDueWork();
            assertNothingCrossed(client);
        }
    }

    private static void killUnderLoad(ForkedProcess node) throws Exception {
        try (node) {
            node.await("READY");
            // At the kill, each tenant has a claim, however fast the node is.
            node.send("a " + JOBS + " hold");
            node.send("b " + JOBS + " hold");
            node.await("HOLDS");
            node.await("HOLDS");
            for (long number = 1; number < JOBS; number++) {
                node.send("a " + number);
                node.send("b " + number);
            }
            for (int ended = 0; ended < JOBS / 2; ended++) {
                node.await("ENDED");
            }
            node.kill();
        }
    }

    /** Runs the steps that the killed node has not completed. */
    private static void finish(TenantShop shop, Class<?> job) {
        List<String> completed = new ArrayList<>();
        for (long number = 1; number <= JOBS; number++) {
            for (String tenant : List.of("a", "b")) {
                TransitionOutcome outcome = shop.close(tenant, job, number);
                assertThat(outcome)
                        .isInstanceOfAny(TransitionOutcome.Completed.class, TransitionOutcome.NotApplicable.class);
                if (outcome instanceof TransitionOutcome.Completed) {
                    completed.add(tenant);
                }
            }
        }
        assertThat(completed).contains("a", "b");
    }

    private static void assertNothingCrossed(JdbcClient client) {
        assertThat(client.sql("SELECT DISTINCT tenant || ': ' || note FROM followed ORDER BY 1")
                        .query(String.class)
                        .list())
                .containsExactly("a: closed for a", "b: closed for b");
        for (String tenant : List.of("a", "b")) {
            assertThat(client.sql("SELECT count(DISTINCT number) FROM followed WHERE tenant = ?")
                            .param(tenant)
                            .query(Integer.class)
                            .single())
                    .isEqualTo(JOBS);
        }
    }

    private static ForkedProcess start(Tenancy tenancy, Path log) {
        TestDatabase database = tenancy.home();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM does not live long enough to profit from the second compiler.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-classpath",
                System.getProperty("java.class.path"),
                TenantProcess.class.getName(),
                tenancy.configuration().getName(),
                tenancy.job().getName(),
                "--spring.datasource.url=" + database.getJdbcUrl(),
                "--spring.datasource.username=" + Objects.requireNonNullElse(database.getUsername(), ""),
                "--spring.datasource.password=" + Objects.requireNonNullElse(database.getPassword(), "")));
        tenancy.databases()
                .forEach((tenant, each) -> command.add("--test.databases.%s=%s".formatted(tenant, each.getJdbcUrl())));
        command.add("--" + TenantSources.POOLED);
        return ForkedProcess.start("node", log, command, Map.of());
    }
}
