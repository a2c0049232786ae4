package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Kills nodes that start and execute runs of two tenants under the same keys. With {@code -Dchaos.seed}, the
 * test repeats the times of an earlier run.
 */
@Tag("chaos")
class TenantRunKillTests {

    private static final int CYCLES = Scale.times(3);
    private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());

    @Test
    void everyPartOfARunIsExecutedInItsTenantWhicheverNodesAreKilled(@TempDir Path logs) throws Exception {
        Random random = new Random(SEED);
        List<String> begun = new ArrayList<>();
        try (Offices offices = new Offices(logs, Duration.ofMillis(50))) {
            JdbcClient client = offices.client();
            client.sql("CREATE TABLE tenant_effect (run uuid NOT NULL, step text NOT NULL, tenant text)")
                    .update();
            ForkedProcess node = offices.fork("node-0");
            for (int cycle = 1; cycle <= CYCLES; cycle++) {
                String unused = node.await("READY");
                node.send("work-in-tenants " + cycle);
                ForkedProcess next = offices.fork("node-" + cycle);
                begun.add(node.await("BEGUN"));
                LockSupport.parkNanos(MILLISECONDS.toNanos(50 + random.nextInt(350)));
                node.kill();
                begun.addAll(node.rest("BEGUN"));
                node = next;
            }
            node.kill();
            try (Office survivor = offices.office("survivor", new Around() {})) {
                var unused = survivor.opened();
                await().atMost(60, SECONDS)
                        .pollInterval(50, MILLISECONDS)
                        .until(() -> count(client, "SELECT count(*) FROM saga_run WHERE ended_at IS NULL") == 0);
            }
            System.out.printf(
                    "%d processes killed (seed %d): %d runs acknowledged, %d parts executed, %d of them repeated%n",
                    CYCLES,
                    SEED,
                    begun.size(),
                    count(client, "SELECT count(*) FROM tenant_effect"),
                    count(client, "SELECT count(*) FROM tenant_effect WHERE step <> 'code'")
                            - count(
                                    client,
                                    "SELECT count(DISTINCT (run, step)) FROM tenant_effect WHERE step <> 'code'"));

            assertThat(begun).doesNotHaveDuplicates().hasSizeGreaterThan(CYCLES);
            assertThat(count(client, """
                    SELECT count(*) FROM tenant_effect AS e JOIN saga_run AS r ON r.id = e.run
                    WHERE e.tenant IS DISTINCT FROM r.tenant""")).as("seed %d", SEED).isZero();
            assertThat(count(client, "SELECT count(*) FROM saga_run WHERE state <> 'completed' OR tenant IS NULL"))
                    .isZero();
            assertThat(count(client, """
                    SELECT count(*) FROM saga_run WHERE convert_from(input, 'UTF8') NOT LIKE '"' || tenant || '-%'""")).isZero();
            // Both tenants use the same keys, so almost every key has two runs.
            assertThat(count(client, """
                    SELECT count(*) FROM (SELECT start_key FROM saga_run GROUP BY start_key
                    HAVING count(*) = 2 AND count(DISTINCT tenant) = 2) AS both_tenants""")).isPositive();
            assertThat(count(client, """
                    SELECT count(*) FROM (SELECT start_key FROM saga_run GROUP BY start_key, tenant
                    HAVING count(*) > 1) AS twice""")).isZero();
            assertThat(count(client, """
                    SELECT count(*) FROM saga_run AS r WHERE 1 <> (
                        SELECT count(*) FROM tenant_effect WHERE run = r.id AND step = 'book')""")).isZero();
            assertThat(count(client, "SELECT count(*) FROM tenant_effect WHERE step = 'refund'"))
                    .isPositive();
        }
    }

    private static long count(JdbcClient client, String sql) {
        return client.sql(sql).query(Long.class).single();
    }
}
