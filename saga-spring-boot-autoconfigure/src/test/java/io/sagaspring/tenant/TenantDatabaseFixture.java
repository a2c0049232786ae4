package io.sagaspring.tenant;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.tenant.apart.Desk;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Applications whose tenants a and b have a database each. A third database is for a new tenant. */
abstract class TenantDatabaseFixture {

    final TestDatabase home = TestDatabase.create(MigratedSchema.class);
    final TestDatabase ofA = TenantDatabases.database();
    final TestDatabase ofB = TenantDatabases.database();
    final TestDatabase ofC = TenantDatabases.database();
    final Queue<String> followed = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void record() {
        TenantApplication.acting = (job, context) -> ActionResult.success();
        TenantApplication.following = (job, context) -> followed.add(String.valueOf(job.number()));
    }

    @AfterEach
    void close() {
        List.of(ofA, ofB, ofC, home).forEach(TestDatabase::close);
    }

    TenantShop open(String... more) {
        return TenantShop.open(home, Map.of("a", ofA, "b", ofB), TenantDatabases.Provided.class, settings(more));
    }

    String[] settings(String... more) {
        List<String> settings = new ArrayList<>(Arrays.asList(TenantApplication.settings(Desk.class)));
        settings.add("test.databases.a=" + ofA.getJdbcUrl());
        settings.add("test.databases.b=" + ofB.getJdbcUrl());
        settings.add("saga.janitor.interval=1s");
        settings.add("saga.janitor.stuck-after=1m");
        settings.addAll(List.of(more));
        return settings.toArray(String[]::new);
    }

    static JdbcClient client(TestDatabase database) {
        return JdbcClient.create(database.dataSource());
    }

    static String status(TestDatabase database, long number) {
        return client(database)
                .sql("SELECT status FROM desk WHERE number = ?")
                .param(number)
                .query(String.class)
                .single();
    }

    static void silence(TestDatabase database) {
        client(database)
                .sql("UPDATE saga_claim SET alive_at = clock_timestamp() - INTERVAL '10 minutes'")
                .update();
    }

    static ClaimAttempt.Granted granted(TenantShop shop, String tenant) {
        return (ClaimAttempt.Granted) shop.claim(tenant, Desk.class, 1L);
    }

    static String aliveAt(TestDatabase database) {
        return client(database)
                .sql("SELECT alive_at::text FROM saga_claim")
                .query(String.class)
                .single();
    }

    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }
}
