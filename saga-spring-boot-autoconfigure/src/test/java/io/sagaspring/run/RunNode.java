package io.sagaspring.run;

import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Ticks;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A node that drives runs, in this process. */
final class RunNode implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(30);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    final List<RunEvent> events = new CopyOnWriteArrayList<>();
    final Keeper keeper;
    final PostgresRunStore store;
    final RunEngine engine;
    final Runs runs;

    RunNode(SagaSchema schema, DataSource connections, String name, Tale... tales) {
        this(schema, connections, name, 4, Duration.ofMillis(50), tales);
    }

    RunNode(SagaSchema schema, DataSource connections, String name, int concurrency, Duration poll, Tale... tales) {
        this(schema, connections, name, concurrency, poll, Duration.ofMillis(50), Duration.ofMinutes(1), tales);
    }

    /** One that gives its steps time to end when it closes. */
    static RunNode patient(SagaSchema schema, DataSource connections, String name, Tale... tales) {
        return new RunNode(
                schema,
                connections,
                name,
                4,
                Duration.ofMillis(50),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                tales);
    }

    /** One that logs each step that has not returned at once. */
    static RunNode impatient(SagaSchema schema, DataSource connections, String name, Tale... tales) {
        return new RunNode(
                schema, connections, name, 4, Duration.ofMillis(50), Duration.ofMillis(50), Duration.ZERO, tales);
    }

    private RunNode(
            SagaSchema schema,
            DataSource connections,
            String name,
            int concurrency,
            Duration poll,
            Duration grace,
            Duration slowStep,
            Tale... tales) {
        OwnTransactions own = new OwnTransactions(connections);
        this.keeper = new Keeper(connections, Duration.ofSeconds(10), Ticks.OF_THIS_MACHINE);
        this.store =
                new PostgresRunStore(schema, name, own, connections, LEASE, Duration.ofDays(30), TestedCommits.COMMITS);
        JdbcTransactionManager transactions = new JdbcTransactionManager(connections);
        this.engine = new RunEngine(
                new RunEngine.Parts(
                        store,
                        new RunCatalog(List.of(tales)),
                        new JsonPayloadCodec(100_000),
                        new SpringStepTransactions(() -> transactions, connections, own),
                        List.of()),
                keeper,
                threads,
                new RunEngine.Settings(
                        3,
                        Duration.ofSeconds(1),
                        slowStep,
                        new Pickup.Settings("runs", concurrency, poll, LEASE, Duration.ofDays(1), grace)),
                List.of((run, id, event) -> events.add(event)));
        this.runs = engine.runs();
    }

    RunNode opened() {
        engine.open();
        return this;
    }

    @Override
    public void close() {
        engine.close();
        keeper.close();
        threads.shutdownNow();
    }
}
