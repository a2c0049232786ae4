package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Base class of tests of runs on nodes that share one database, which is empty when a test begins. */
abstract class RunsOnPostgres {

    /** All test classes of this JVM share this database. It is removed with its server. */
    static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    static final DataSource connections = Pool.of(database);
    static final SagaSchema schema = SagaSchema.migrate(connections, null);
    static final JdbcClient jdbc = JdbcClient.create(connections);
    static final TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(connections));
    static final Duration SOON = Duration.ofSeconds(20);

    final List<RunNode> nodes = new ArrayList<>();
    final List<String> effects = new CopyOnWriteArrayList<>();

    @BeforeEach
    void empty() {
        jdbc.sql(
                        "TRUNCATE saga_run, saga_step, saga_signal, saga_label, saga_queue, saga_permit, saga_key_permit, saga_rate")
                .update();
        jdbc.sql("CREATE TABLE IF NOT EXISTS effect (what text PRIMARY KEY)").update();
        jdbc.sql("TRUNCATE effect").update();
    }

    @AfterEach
    void close() {
        nodes.forEach(RunNode::close);
    }

    RunNode node(Tale... tales) {
        return quietNode(tales).opened();
    }

    RunNode quietNode(Tale... tales) {
        return added(RunNode.on(schema, connections, "node-" + nodes.size()).tales(tales));
    }

    RunNode added(RunNode.Builder builder) {
        RunNode node = builder.build();
        nodes.add(node);
        return node;
    }

    Tale tale(Tale.Code code) {
        return new Tale("tale", code);
    }

    String effect(String what) {
        effects.add(what);
        return what;
    }

    static RunState stateOf(RunNode node, RunId id) {
        return node.runs.find(id).orElseThrow().state();
    }

    static void awaitState(RunNode node, RunId id, RunState state) {
        await().atMost(SOON).until(() -> stateOf(node, id) == state);
    }

    static long count(RunNode node, RunEvent event) {
        return node.events.stream().filter(event::equals).count();
    }

    /** Ends the lease of a run, as if the run's node had died. */
    static void endLease(RunId id) {
        jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ?")
                .param(id.value())
                .update();
    }

    static void awaitEvent(RunNode node, RunEvent event) {
        await().atMost(SOON).until(() -> node.events.contains(event));
    }

    /** Waits for the events. A listener is notified after the state was written, so a test may see the state first. */
    static void awaitEvents(RunNode node, RunEvent... events) {
        await().atMost(SOON).untilAsserted(() -> assertThat(node.events).containsExactly(events));
    }

    /** Waits until work holds no more slots than expected. While a node looks for due runs, it takes the others briefly. */
    static void awaitFreeSlots(RunNode node, int slots) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(node.engine.freeSlots()).isEqualTo(slots));
    }
}
