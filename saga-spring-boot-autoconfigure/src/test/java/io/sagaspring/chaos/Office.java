package io.sagaspring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.due.Pickup;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.Runs;
import io.sagaspring.run.StepTransactions;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A node that drives errands, in this JVM or in one of its own. It brings nothing but what runs need: it is killed often. */
final class Office implements AutoCloseable {

    /** Others go on soon after a node was killed. */
    static final Duration LEASE = Duration.ofSeconds(1);

    /** A busy machine does not take a run away from its node. */
    static final Duration LONG_LEASE = Duration.ofSeconds(10);

    private static final Duration BEAT = Duration.ofMillis(250);
    private static final int CONCURRENCY = 8;

    /**
     * Where it works.
     *
     * @param name its own
     * @param database with the runs, and what transactional steps write
     * @param elsewhere with the ledger of effects
     * @param poll how often it looks for what others have left
     * @param attempts how often a run may be taken up without getting any further
     * @param commits what its runs have to do with one another
     * @param lease how long a run is its own after its last heartbeat
     */
    record Place(
            String name,
            String database,
            String elsewhere,
            Duration poll,
            int attempts,
            Commits commits,
            Duration lease) {}

    /** What happens inside a step's body, behind its effect. */
    interface Within {
        void step(String step) throws InterruptedException;
    }

    private final Place place;
    private final Interference interference = new Interference();
    private final HikariDataSource pool;
    private final HikariDataSource elsewhere;
    private final DataSource watched;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Keeper keeper;
    private final PostgresRunStore store;
    private final RunEngine engine;
    private final EffectLedger ledger;
    private final JdbcClient books;

    volatile Within within = step -> {};

    Office(Place place, Around around, RunListener listener, DurableRun<?, ?>... more) {
        this.place = place;
        this.interference.with(around);
        this.pool = pool(place.database(), CONCURRENCY + 2);
        this.elsewhere = pool(place.elsewhere(), 4);
        this.watched = interference.watched(pool);
        this.ledger = new EffectLedger(interference.watched(elsewhere));
        this.books = JdbcClient.create(watched);
        this.keeper = new Keeper(
                interference.watched(new DriverManagerDataSource(place.database())),
                BEAT,
                ElapsedClock.OF_THIS_MACHINE);
        // The tables are there: looking for them would be statements that nobody wants to count.
        SagaSchema schema = SagaSchema.migrate(pool, null);
        OwnTransactions own = new OwnTransactions(watched);
        this.store = new PostgresRunStore(
                schema, place.name(), own, watched, place.lease(), Duration.ofDays(30), place.commits());
        this.engine = engine(own, listener, more);
    }

    private static HikariDataSource pool(String url, int size) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(size);
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(5_000);
        // It may be started while its server is down.
        pool.setInitializationFailTimeout(-1);
        return pool;
    }

    private RunEngine engine(OwnTransactions own, RunListener listener, DurableRun<?, ?>... more) {
        List<DurableRun<?, ?>> code = new ArrayList<>(List.of(new Errand(this), new Answer(this)));
        code.addAll(List.of(more));
        JdbcTransactionManager transactions = new JdbcTransactionManager(watched);
        return new RunEngine(
                new RunEngine.Parts(
                        store,
                        new RunCatalog(code),
                        new JsonPayloadCodec(100_000),
                        StepTransactions.of(() -> transactions, watched, own),
                        List.of()),
                keeper,
                threads,
                new RunEngine.Settings(
                        place.attempts(),
                        Duration.ofSeconds(1),
                        new Pickup.Settings(
                                "runs",
                                CONCURRENCY,
                                place.poll(),
                                place.lease(),
                                Duration.ofMinutes(5),
                                Duration.ZERO)),
                List.of(listener));
    }

    /** Begins to take up runs. Who is not opened can only start them, and tell them something. */
    Office opened() {
        keeper.start();
        engine.open();
        return this;
    }

    String name() {
        return place.name();
    }

    Runs runs() {
        return engine.runs();
    }

    RunEngine engine() {
        return engine;
    }

    EffectLedger ledger() {
        return ledger;
    }

    Interference interference() {
        return interference;
    }

    PostgresRunStore store() {
        return store;
    }

    HikariDataSource pool() {
        return pool;
    }

    /** What a step does elsewhere. */
    long effect(RunContext run, String step) throws InterruptedException {
        long line = ledger.write(run.runId().value(), step, run.idempotencyKey(), place.name());
        within.step(step);
        return line;
    }

    /** What a transactional step does. */
    void book(RunContext run, String step) throws InterruptedException {
        int unused = books.sql("INSERT INTO booked (run, step, node) VALUES (?, ?, ?)")
                .params(run.runId().value(), step, place.name())
                .update();
        within.step(step);
    }

    @Override
    public void close() {
        engine.close();
        keeper.close();
        threads.shutdownNow();
        pool.close();
        elsewhere.close();
    }
}
