package io.sagaspring.listener;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Base class of tests that deliver events on nodes with one database. */
abstract class ListenersOnPostgres {

    static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    static final HikariDataSource connections = Pool.of(database);
    static final SagaSchema schema = SagaSchema.migrate(connections, null);
    static final JdbcClient jdbc = JdbcClient.create(connections);
    static final Duration SOON = Duration.ofSeconds(20);
    static final Map<String, ListenerSettings.Of> IMPATIENT =
            Map.of("mailer", new ListenerSettings.Of(null, null, Duration.ofMillis(10), null, null));

    final List<ListenerNode> nodes = new ArrayList<>();
    final Mailer mailer = new Mailer();
    final TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(connections));

    record Placed(String orderId, int number) {}

    static class Mailer {

        final List<Placed> received = new CopyOnWriteArrayList<>();
        final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
        final List<Placed> ofAudit = new CopyOnWriteArrayList<>();
        final Map<String, Exception> failures = new ConcurrentHashMap<>();
        volatile BiConsumer<Placed, Delivery> hook = (placed, delivery) -> {};

        @DurableListener(id = "mailer", key = "#placed.orderId()", attempts = 3)
        void placed(Placed placed, Delivery delivery) throws Exception {
            deliveries.add(delivery);
            hook.accept(placed, delivery);
            Exception failure = failures.get(placed.orderId());
            if (failure != null) {
                throw failure;
            }
            received.add(placed);
        }

        @DurableListener(id = "audit")
        void audit(Placed placed) {
            ofAudit.add(placed);
        }
    }

    @BeforeEach
    void empty() {
        int unused = jdbc.sql("DELETE FROM saga_delivery").update();
    }

    @AfterEach
    void closeNodes() {
        nodes.forEach(ListenerNode::close);
    }

    ListenerNode node(ListenerNode.Settings settings, Object... listeners) {
        ListenerNode node = new ListenerNode(schema, connections, "node-" + nodes.size(), settings, listeners);
        nodes.add(node);
        return node;
    }

    ListenerNode node() {
        return node(ListenerNode.Settings.standard(), mailer);
    }

    static long stored(String listener) {
        return jdbc.sql("SELECT count(*) FROM saga_delivery WHERE listener = ?")
                .param(listener)
                .query(Long.class)
                .single();
    }

    static void endPausesAndLeases() {
        int unused =
                jdbc.sql("UPDATE saga_delivery SET due_at = clock_timestamp()").update();
    }

    static class Renamed {

        @DurableListener(id = "renamed")
        void placed(Placed placed) {}
    }
}
