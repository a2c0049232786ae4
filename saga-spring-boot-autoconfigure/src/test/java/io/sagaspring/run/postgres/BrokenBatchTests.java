package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.StoredValue;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** If a batch fails, each of its changes is reported as if it had been written alone. */
class BrokenBatchTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);

    private final Interference interference = new Interference();
    private final PostgresRunStore store = store(interference.watched(withoutAutoCommit()));
    private CompletableFuture<?> first;
    private Parked direct;

    @AfterAll
    static void drop() {
        database.close();
    }

    /** Another change is being written directly, so each change of a test is written in a batch. */
    @BeforeEach
    void occupyTheDirectWay() throws Exception {
        direct = interference.park("saga:run.start */");
        first = OwnThread.call(() -> store.start(run()));
        direct.awaitArrival();
        interference.none();
    }

    @AfterEach
    void releaseTheDirectWay() throws Exception {
        interference.none();
        direct.letGo();
        var unused = first.get(30, TimeUnit.SECONDS);
    }

    private static PostgresRunStore store(DataSource watched) {
        return new PostgresRunStore(
                schema,
                "node",
                new OwnTransactions(watched),
                watched,
                Duration.ofSeconds(30),
                Duration.ofDays(30),
                Commits.SHARED);
    }

    private static DataSource withoutAutoCommit() {
        return new DelegatingDataSource(connections) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setAutoCommit(false);
                return connection;
            }
        };
    }

    private static NewRun run() {
        StoredValue input = new StoredValue("text", "input".getBytes(StandardCharsets.UTF_8));
        return new NewRun(RunId.next(), "run", null, null, input, null, null, true);
    }

    /** The start may have been committed, so the caller must not treat it as failed. */
    @Test
    void theOutcomeIsUnknownIfTheAnswerAndEveryConnectionAreLost() {
        AtomicBoolean isLost = new AtomicBoolean();
        interference.with(new Around() {
            @Override
            public void opening() throws SQLException {
                if (isLost.get()) {
                    throw Interference.connectionLost();
                }
            }

            @Override
            public void after(String sql, Connection connection) throws SQLException {
                if (sql.equals("COMMIT")) {
                    isLost.set(true);
                    throw Interference.connectionLost();
                }
            }
        });
        NewRun run = run();

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> store.start(run))
                .withMessageStartingWith("Starting the run '%s': ", run.run());

        interference.none();
        assertThat(store.findRow(run.id())).isPresent();
    }

    /** The first attempt still had the lease, but it was rolled back. */
    @Test
    void aRunThatLosesItsLeaseBetweenBatchAttemptsIsFencedOff() {
        NewRun run = run();
        RunLease runLease =
                new RunLease(run.id(), Objects.requireNonNull(store.start(run).token()));
        AtomicBoolean isRolledBack = new AtomicBoolean();
        interference.with(new Around() {
            @Override
            public void opening() {
                if (isRolledBack.get()) {
                    giveToAnotherNode(run.id());
                }
            }

            @Override
            public void before(String sql, Connection connection) throws SQLException {
                if (sql.equals("COMMIT") && !isRolledBack.getAndSet(true)) {
                    throw new SQLException("could not serialize access", "40001");
                }
            }
        });

        assertThatExceptionOfType(FencedException.class).isThrownBy(() -> store.checkpoint(runLease, List.of()));
    }

    private static void giveToAnotherNode(RunId run) {
        int unused = JdbcClient.create(connections)
                .sql("UPDATE saga_run SET token = nextval('saga_token') WHERE id = ?")
                .param(run.value())
                .update();
    }
}
