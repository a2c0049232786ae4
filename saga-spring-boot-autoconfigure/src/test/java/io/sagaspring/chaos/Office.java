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
import io.sagaspring.schedule.PostgresScheduleStore;
import io.sagaspring.schedule.ScheduleCatalog;
import io.sagaspring.schedule.ScheduleEngine;
import io.sagaspring.schedule.ScheduleSettings;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.tenant.ThreadTenants;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * A node that executes runs of {@link Errand}, in the test's JVM or in a JVM of its own. Tests kill it often.
 * Therefore, it has only the parts that runs need, and starts fast.
 */
final class Office implements AutoCloseable {

    /** A lease short enough to let other nodes continue soon after a node was killed. */
    static final Duration LEASE = Duration.ofSeconds(1);

    /** A lease long enough to keep a node on a busy machine from losing its run. */
    static final Duration LONG_LEASE = Duration.ofSeconds(10);

    /** The tenants of every node. Most runs have no tenant. */
    static final Tenants TENANTS = Tenants.of(new ThreadTenants("north", "south"));

    private static final Duration HEARTBEAT = Duration.ofMillis(250);
    private static final int CONCURRENCY = 8;
    private static final int TRIES = 100;

    /**
     * The databases and settings of a node.
     *
     * @param name the node's name
     * @param database the URL of the database with the runs and the writes of transactional steps
     * @param elsewhere the URL of the database with the ledger of effects
     * @param poll the interval at which the node searches for due runs
     * @param attempts the number of times that a run may be picked up without progress
     * @param commits the way in which the node commits the changes of its runs
     * @param lease the time for which the node owns a run after its last heartbeat
     */
    record Place(
            String name,
            String database,
            String elsewhere,
            Duration poll,
            int attempts,
            Commits commits,
            Duration lease) {}

    /** A hook inside a step's code. It is called after the step's effect. */
    interface StepHook {
        void afterEffect(String step) throws InterruptedException;
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
    private final SagaSchema schema;
    private final OwnTransactions own;
    private final EffectLedger ledger;
    private final JdbcClient books;

    volatile StepHook stepHook = step -> {};

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
                HEARTBEAT,
                ElapsedClock.OF_THIS_MACHINE);
        // The tables exist already. Use the pool directly, so that no test intercepts the statements that look for the
        // tables.
        this.schema = SagaSchema.migrate(pool, null);
        this.own = new OwnTransactions(watched);
        this.store = new PostgresRunStore(
                schema, place.name(), own, watched, place.lease(), Duration.ofDays(30), place.commits());
        this.engine = engine(listener, more);
    }

    private static HikariDataSource pool(String url, int size) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(size);
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(5_000);
        // A test can create a node while the database server is down.
        pool.setInitializationFailTimeout(-1);
        return pool;
    }

    private RunEngine engine(RunListener listener, DurableRun<?, ?>... more) {
        List<DurableRun<?, ?>> code =
                new ArrayList<>(List.of(new Errand(this), new Answer(this), new TenantErrand(this)));
        code.addAll(List.of(more));
        JdbcTransactionManager transactions = new JdbcTransactionManager(watched);
        return new RunEngine(
                new RunEngine.Parts(
                        store,
                        new RunCatalog(code),
                        new JsonPayloadCodec(100_000),
                        StepTransactions.of(() -> transactions, watched, own),
                        List.of(),
                        TENANTS,
                        QueueErrand.queuesOf(more, store)),
                keeper,
                threads,
                new RunEngine.Settings(
                        place.attempts(),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(1),
                        new Pickup.Settings(
                                "runs",
                                CONCURRENCY,
                                place.poll(),
                                place.lease(),
                                Duration.ofMinutes(5),
                                Duration.ZERO)),
                List.of(listener));
    }

    /** Begins to pick up runs. Before this call, the node can only start and signal runs. */
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

    /** Creates an engine for the schedules of this node. */
    ScheduleEngine schedules(ScheduleSettings settings) {
        return new ScheduleEngine(
                new ScheduleEngine.Parts(
                        new PostgresScheduleStore(schema, own, watched),
                        store,
                        () -> ScheduleCatalog.read(engine.code(), settings),
                        () -> engine,
                        List::of),
                new ScheduleEngine.Settings(place.name(), place.poll(), Duration.ofMinutes(1)));
    }

    Keeper keeper() {
        return keeper;
    }

    /**
     * Opens all connections of the pool. From then on, no thread waits for a connection, so an interrupt does not
     * prevent a write.
     */
    void openAllConnections() {
        List<Connection> all = new ArrayList<>();
        try {
            while (all.size() < pool.getMaximumPoolSize()) {
                all.add(DataSourceUtils.getConnection(pool));
            }
        } finally {
            all.forEach(each -> DataSourceUtils.releaseConnection(each, pool));
        }
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

    /** Performs the side effect of a step outside the database. */
    long effect(RunContext run, String step) throws InterruptedException {
        long line = ledger.write(run.runId().value(), step, run.idempotencyKey(), place.name());
        stepHook.afterEffect(step);
        return line;
    }

    /**
     * Performs the side effect of the step {@link Errand#HAGGLE}, and fails until the journal has enough failed
     * attempts. A stubborn step always fails.
     */
    long haggle(RunContext run, boolean isStubborn) throws InterruptedException {
        long line = effect(run, Errand.HAGGLE);
        if (isStubborn || failedAttempts(run) < Errand.FAILED_ATTEMPTS) {
            throw new IllegalStateException("Too expensive.");
        }
        return line;
    }

    /**
     * Counts the failed attempts in the journal. Repeats the query during an outage, because the outage must not fail
     * the attempt.
     */
    private int failedAttempts(RunContext run) {
        for (int tries = 1; ; tries++) {
            try {
                return JdbcClient.create(pool)
                        .sql("SELECT count(*) FROM saga_step WHERE run_id = ? AND mark = 'ATTEMPT_FAILED'")
                        .param(run.runId().value())
                        .query(Integer.class)
                        .single();
            } catch (RuntimeException failed) {
                if (tries == TRIES || Thread.currentThread().isInterrupted()) {
                    throw failed;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    /** Performs the write of a transactional step. */
    void book(RunContext run, String step) throws InterruptedException {
        int unused = books.sql("INSERT INTO booked (run, step, node) VALUES (?, ?, ?)")
                .params(run.runId().value(), step, place.name())
                .update();
        stepHook.afterEffect(step);
    }

    /** Records the tenant for which a part of a run is executed, within the part's transaction if there is one. */
    void noteTenant(RunContext run, String part) {
        int unused = books.sql("INSERT INTO tenant_effect (run, step, tenant) VALUES (?, ?, ?)")
                .params(run.runId().value(), part, String.valueOf(TENANTS.current()))
                .update();
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
