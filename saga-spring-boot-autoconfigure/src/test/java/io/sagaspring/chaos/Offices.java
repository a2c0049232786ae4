package io.sagaspring.chaos;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.chaos.Office.Place;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.TestedCommits;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The two databases of a group of nodes ({@link Office}). One database has the runs, and the other database has the
 * ledger of the side effects.
 */
final class Offices implements AutoCloseable {

    /** A limit of attempts high enough to keep runs from being parked because the tests kill their nodes. */
    private static final int ATTEMPTS = 1_000;

    private final @Nullable TestDatabase own;
    private final String url;
    private final DataSource database;
    private final TestDatabase elsewhere = TestDatabase.create();
    private final HikariDataSource elsewherePool = pool(LeaseHolders.url(elsewhere));
    private final Path logs;
    private final Duration poll;

    Offices(Path logs, Duration poll) {
        this(logs, poll, TestDatabase.create(MigratedSchema.class));
    }

    private Offices(Path logs, Duration poll, TestDatabase own) {
        this(logs, poll, own, LeaseHolders.url(own));
    }

    /** Stores the runs in a database that the test can stop. The side effects are recorded in a different database. */
    static Offices at(String url, Path logs, Duration poll) {
        SagaSchema unused = SagaSchema.migrate(new DriverManagerDataSource(url), null);
        return new Offices(logs, poll, null, url);
    }

    private Offices(Path logs, Duration poll, @Nullable TestDatabase own, String url) {
        this.logs = logs;
        this.poll = poll;
        this.own = own;
        this.url = url;
        // A pool would keep connections that break when the server is lost.
        this.database = own == null ? new DriverManagerDataSource(url) : pool(url);
        RunInspection.create(database, ledger());
    }

    /** Creates a pool, because a test queries often, and a new connection costs more than a query. */
    private static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(4);
        pool.setMinimumIdle(0);
        return pool;
    }

    EffectLedger ledger() {
        return new EffectLedger(elsewherePool);
    }

    RunInspection inspection() {
        return new RunInspection(database, ledger());
    }

    JdbcClient client() {
        return JdbcClient.create(database);
    }

    Place place(String name) {
        return place(name, TestedCommits.COMMITS, Office.LEASE);
    }

    private Place place(String name, Commits commits, Duration lease) {
        return new Place(name, url, LeaseHolders.url(elsewhere), poll, ATTEMPTS, commits, lease);
    }

    /** Creates a node in this JVM. The node picks up no runs until it is opened. */
    Office office(String name, Around around, DurableRun<?, ?>... more) {
        return new Office(place(name), around, (run, id, event) -> {}, more);
    }

    /** Creates a node in this JVM that also keeps its runs on a busy machine. */
    Office officeWithLongLease(String name, Around around) {
        return new Office(place(name, TestedCommits.COMMITS, Office.LONG_LEASE), around, (run, id, event) -> {});
    }

    /** Starts a node in its own JVM. The node picks up no runs until a command opens it. */
    ForkedProcess fork(String name) {
        return fork(name, TestedCommits.COMMITS);
    }

    /** Starts a node with the given kind of commits, even if the other nodes commit differently. */
    ForkedProcess fork(String name, Commits commits) {
        return fork(place(name, commits, Office.LEASE));
    }

    /** Starts a node whose leases on runs are long. */
    ForkedProcess forkWithLongLease(String name, Commits commits) {
        return fork(place(name, commits, Office.LONG_LEASE));
    }

    private ForkedProcess fork(Place place) {
        List<String> command = new ArrayList<>(ForkedJvm.command(OfficeProcess.class));
        command.addAll(List.of(
                place.name(),
                place.database(),
                place.elsewhere(),
                place.poll().toString(),
                Integer.toString(place.attempts()),
                place.commits().name(),
                place.lease().toString()));
        return ForkedProcess.start(place.name(), logs.resolve(place.name() + ".log"), command, Map.of());
    }

    /** Starts a node with a schedule in its own JVM, with a clock of its own. */
    ForkedProcess forkSchedule(String name, Overlap overlap, Duration clock) {
        Place place = place(name);
        List<String> command = new ArrayList<>(ForkedJvm.command(ScheduleProcess.class));
        command.addAll(List.of(
                name,
                place.database(),
                place.elsewhere(),
                place.poll().toString(),
                place.commits().name(),
                place.lease().toString(),
                overlap.name()));
        return ForkedProcess.start(name, logs.resolve(name + ".log"), command, SkewedClocks.by(clock));
    }

    /** Lets a dead node's lease on a run expire now. */
    void expireLease(UUID run) {
        client().sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ? AND ended_at IS NULL")
                .param(run)
                .update();
    }

    /** Lets all but a moment of a dead node's lease on a run pass. */
    void expireLeaseSoon(UUID run) {
        client().sql("""
                        UPDATE saga_run SET due_at = clock_timestamp() + INTERVAL '100 milliseconds'
                        WHERE id = ? AND node IS NOT NULL AND ended_at IS NULL""").param(run).update();
    }

    /** Returns the time at which a dead node's lease on a run expires. */
    Instant endOfLease(UUID run) {
        return client().sql("SELECT due_at FROM saga_run WHERE id = ? AND node IS NOT NULL")
                .param(run)
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    /** Returns true if the node that owns the run has sent no heartbeat for the duration of a lease. */
    boolean isOverdue(UUID run) {
        return client().sql("SELECT node IS NOT NULL AND due_at < clock_timestamp() FROM saga_run WHERE id = ?")
                .param(run)
                .query(Boolean.class)
                .single();
    }

    void clear() {
        client().sql(
                        "TRUNCATE saga_run, saga_step, saga_signal, saga_label, saga_schedule, saga_schedule_firing, booked")
                .update();
        JdbcClient.create(elsewherePool).sql("TRUNCATE effect").update();
    }

    @Override
    public void close() {
        if (database instanceof HikariDataSource pool) {
            pool.close();
        }
        elsewherePool.close();
        if (own != null) {
            own.close();
        }
        elsewhere.close();
    }
}
