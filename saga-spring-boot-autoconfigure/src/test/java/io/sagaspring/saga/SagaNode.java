package io.sagaspring.saga;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Ticks;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.Runs;
import io.sagaspring.run.SpringStepTransactions;
import io.sagaspring.run.TestedCommits;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A process that drives sagas, as far as a test needs one. */
final class SagaNode implements AutoCloseable {

    private static final String KEY = "a-key-that-is-long-enough-for-a-test";
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SagaCode code;
    private final Keeper keeper;
    final PostgresRunStore store;
    final RunEngine engine;
    final Runs runs;
    final Sagas sagas;
    volatile boolean isListenerBroken;
    final List<SagaEvent> events = new CopyOnWriteArrayList<>();

    SagaNode(SagaSchema schema, DataSource connections, String name, Saga<?>... sagas) {
        this(schema, connections, name, type -> Optional.empty(), sagas);
    }

    SagaNode(SagaSchema schema, DataSource connections, String name, Tasks tasks, Saga<?>... sagas) {
        OwnTransactions own = new OwnTransactions(connections);
        this.keeper = new Keeper(connections, Duration.ofSeconds(10), Ticks.OF_THIS_MACHINE);
        JdbcTransactionManager transactions = new JdbcTransactionManager(connections);
        this.store =
                new PostgresRunStore(schema, name, own, connections, LEASE, Duration.ofDays(30), TestedCommits.COMMITS);
        this.code = new SagaCode(new SagaCode.Parts(
                List.of(sagas), tasks, List.of(KEY), store, List.of(this::failing, events::add), List.of()));
        this.engine = new RunEngine(
                new RunEngine.Parts(
                        store,
                        new RunCatalog(List.of(), code.code()),
                        new JsonPayloadCodec(100_000),
                        new SpringStepTransactions(() -> transactions, connections, own),
                        List.of()),
                keeper,
                threads,
                new RunEngine.Settings(
                        3,
                        Duration.ofSeconds(1),
                        new Pickup.Settings(
                                "runs", 4, Duration.ofMillis(50), LEASE, Duration.ofDays(1), Duration.ofMillis(50))),
                List.of(code.listener()));
        this.runs = engine.runs();
        this.sagas = new Sagas(() -> code, () -> engine);
        engine.open();
    }

    private void failing(SagaEvent event) {
        if (isListenerBroken) {
            throw new IllegalStateException("a listener that fails changes nothing");
        }
    }

    @Override
    public void close() {
        engine.close();
        keeper.close();
        code.close();
        threads.shutdownNow();
    }
}
