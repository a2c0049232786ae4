package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sagaspring.fence.HeldRows;
import io.sagaspring.fence.NodeLoad;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that deliveries in progress are counted for each node, without reading the deliveries that wait. */
class DeliveryLoadsTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    @Test
    void deliveriesInProgressAreCountedThroughTheirIndex() {
        jdbc.sql("""
                INSERT INTO saga_delivery (listener, event, line, format, payload, published_at, due_at, token, node)
                SELECT 'mail', 'Ordered', n, 'json', ''::bytea, clock_timestamp(),
                    CASE WHEN n % 4000 = 0 THEN '2100-01-01T00:00:30Z' ELSE clock_timestamp() END,
                    CASE WHEN n % 2000 = 0 THEN n END, CASE WHEN n % 2000 = 0 THEN 'node-' || n % 3 END
                FROM generate_series(1, 20000) AS n""").update();
        jdbc.sql("VACUUM (ANALYZE) saga_delivery").update();
        HeldRows held =
                PostgresDeliveryStore.held(SagaSchema.verify(database.dataSource(), null), Duration.ofSeconds(30));

        assertThat(new OwnTransactions(database.dataSource()).single(held::on).nodes())
                .extracting(NodeLoad::node, NodeLoad::held, NodeLoad::heartbeatAt)
                .containsExactly(
                        tuple("node-0", 1, Instant.parse("2100-01-01T00:00:00Z")),
                        tuple("node-1", 2, Instant.parse("2100-01-01T00:00:00Z")),
                        tuple("node-2", 2, Instant.parse("2100-01-01T00:00:00Z")));
        assertThat(jdbc.sql("EXPLAIN " + held.text())
                        .params(10_000, 10_000)
                        .query(String.class)
                        .list())
                .anyMatch(line -> line.contains("saga_delivery_held"))
                .noneMatch(line -> line.contains("Seq Scan"));
    }
}
