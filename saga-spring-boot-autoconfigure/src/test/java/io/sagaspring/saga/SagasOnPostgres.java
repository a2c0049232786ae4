package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunNode;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Base class of tests that define their own saga. The nodes share one database, which is empty when a test begins. */
abstract class SagasOnPostgres {

    /** A time limit that is long enough even for a busy machine. */
    static final Duration SOON = Duration.ofSeconds(60);

    /**
     * All test classes of this JVM share this data source, because creating a database takes longer than most tests.
     * The database is removed with its server.
     */
    static final DataSource connections = Pool.of(TestDatabase.create(MigratedSchema.class));

    private static final SagaSchema schema = SagaSchema.migrate(connections, null);

    final List<String> effects = new CopyOnWriteArrayList<>();

    private final List<SagaNode> nodes = new ArrayList<>();

    record Order(String id, long cents) {}

    static final class ScriptedOrder implements Saga<Order> {

        private final Consumer<SagaDefinition<Order>> definition;

        ScriptedOrder(Consumer<SagaDefinition<Order>> definition) {
            this.definition = definition;
        }

        @Override
        public void define(SagaDefinition<Order> saga) {
            definition.accept(saga);
        }
    }

    @AfterEach
    void close() {
        nodes.forEach(SagaNode::close);
        JdbcClient database = JdbcClient.create(connections);
        for (String table : List.of("saga_signal", "saga_step", "saga_run")) {
            int unused = database.sql("DELETE FROM " + table).update();
        }
    }

    SagaNode node(Consumer<SagaDefinition<Order>> definition) {
        return node(type -> Optional.empty(), definition);
    }

    SagaNode node(Function<Class<?>, Optional<SagaTask<?, ?>>> tasks, Consumer<SagaDefinition<Order>> definition) {
        return added(new SagaNode(schema, connections, "node-" + nodes.size(), tasks, new ScriptedOrder(definition)));
    }

    RunNode.Builder builder() {
        return RunNode.on(schema, connections, "node-" + nodes.size());
    }

    SagaNode added(SagaNode node) {
        nodes.add(node);
        return node;
    }

    static RunId start(SagaNode node) {
        return node.engine
                .startCode(ScriptedOrder.class, new Order("o-1", 4200), RunOptions.within(Duration.ofMinutes(5)))
                .id();
    }

    static void awaitState(SagaNode node, RunId id, RunState state) {
        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(node.runs.find(id).orElseThrow().state()).isEqualTo(state));
    }

    static StepView step(SagaNode node, RunId id, String name) {
        return node.sagas.find(id).orElseThrow().step(name).orElseThrow();
    }

    Object effect(String text) {
        effects.add(text);
        return text;
    }
}
