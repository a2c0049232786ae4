package io.sagaspring.saga;

import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunNode;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.run.VisibleRuns;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import javax.sql.DataSource;

/** A node that executes sagas, in this process. */
final class SagaNode implements AutoCloseable {

    /** Signs the callback tokens. */
    static final String KEY = "a-key-that-is-long-enough-for-a-test";

    private final SagaCode code;
    private final RunNode node;
    final RunStore store;
    final RunEngine engine;
    final Runs runs;
    final Sagas sagas;
    volatile boolean isListenerBroken;
    final List<SagaEvent> events = new CopyOnWriteArrayList<>();

    SagaNode(SagaSchema schema, DataSource connections, String name, Saga<?>... sagas) {
        this(schema, connections, name, type -> Optional.empty(), sagas);
    }

    SagaNode(
            SagaSchema schema,
            DataSource connections,
            String name,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            Saga<?>... sagas) {
        this(RunNode.on(schema, connections, name), Tenants.none(), tasks, event -> {}, List.of(), sagas);
    }

    /** Creates a node with tenants, a listener and interceptors. */
    SagaNode(
            RunNode.Builder builder,
            Tenants tenants,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            SagaListener listener,
            List<StepInterceptor> interceptors,
            Saga<?>... sagas) {
        this.store = builder.store();
        this.code = new SagaCode(new SagaCode.Parts(
                List.of(sagas),
                tasks,
                List.of(KEY),
                new VisibleRuns(store, tenants),
                List.of(this::failIfBroken, events::add, listener),
                interceptors));
        this.node = builder.tenants(tenants)
                .code(code.code())
                .listener(code.listener())
                .build();
        this.engine = node.engine;
        this.runs = engine.runs();
        this.sagas = new Sagas(() -> code, () -> engine);
        engine.open();
    }

    private void failIfBroken(SagaEvent event) {
        if (isListenerBroken) {
            throw new IllegalStateException("a listener that fails changes nothing");
        }
    }

    @Override
    public void close() {
        node.close();
        code.close();
    }
}
