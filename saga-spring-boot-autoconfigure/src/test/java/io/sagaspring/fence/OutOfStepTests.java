package io.sagaspring.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.InvalidKeyException;
import io.sagaspring.idempotency.KeySettings;
import io.sagaspring.idempotency.KeyStore;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.run.StepTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Tests that a connection is discarded when it may be out of step with the server. The pool has one connection, so the
 * next caller gets the same connection unless it was discarded.
 */
class OutOfStepTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final HikariDataSource pool = pool();
    private final JdbcClient jdbc = JdbcClient.create(pool);
    private final JdbcTransactionManager manager = new JdbcTransactionManager(pool);
    private final TransactionTemplate transaction = new TransactionTemplate(manager);
    private final OwnTransactions own = new OwnTransactions(pool);

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.getJdbcUrl());
        pool.setUsername(database.getUsername());
        pool.setPassword(database.getPassword());
        pool.setMaximumPoolSize(1);
        return pool;
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private int backend() {
        return jdbc.sql("SELECT pg_backend_pid()").query(Integer.class).single();
    }

    private static int number(Connection connection, int number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT ?::int")) {
            statement.setInt(1, number);
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                return found.getInt(1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void noStatementReadsTheReplyToAStatementInWhichTheStackOverflowed(EndingSockets.End end) {
        pool.addDataSourceProperty("socketFactory", EndingSockets.class.getName());
        assertThat(own.<Integer>single(connection -> number(connection, 1))).isEqualTo(1);

        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> own.<Integer>single(connection -> {
                    EndingSockets.next(end);
                    return number(connection, 2);
                }));

        for (int each = 0; each < 5; each++) {
            int expected = 1_000 + each;
            assertThat(own.<Integer>single(connection -> number(connection, expected)))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anErrorInAStatementOfTheLibraryDiscardsTheConnection(boolean together) {
        OwnTransactions.Work<Integer> work = connection -> {
            int unused = number(connection, 1);
            throw new StackOverflowError("in a statement");
        };
        int before = backend();

        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> {
            int unused = together ? own.together(work) : own.single(work);
        });

        assertThat(backend()).isNotEqualTo(before);
    }

    @Test
    void anUnexpectedRuntimeExceptionOfTheDriverDiscardsTheConnection() {
        int before = backend();

        assertThatExceptionOfType(ArrayIndexOutOfBoundsException.class)
                .isThrownBy(() -> own.single(connection -> {
                    throw new ArrayIndexOutOfBoundsException("in the driver");
                }));

        assertThat(backend()).isNotEqualTo(before);
    }

    @Test
    void anExpectedExceptionKeepsTheConnection() {
        int before = backend();

        for (RuntimeException each : List.of(new InvalidKeyException("ours"), new DuplicateKeyException("Spring's"))) {
            assertThatThrownBy(() -> own.together(connection -> {
                        throw each;
                    }))
                    .isSameAs(each);
        }
        assertThatThrownBy(() -> own.single(connection -> {
                    throw new SQLException("the driver's", "23505");
                }))
                .hasRootCauseInstanceOf(SQLException.class);

        assertThat(backend()).isEqualTo(before);
    }

    @Test
    void anErrorInAStatementInTheCallersTransactionDiscardsTheConnection() {
        CallersTransaction callers = new CallersTransaction(pool, JoinGuard.NONE);
        int before = backend();

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> callers.run("A statement", connection -> {
                    throw new StackOverflowError("in a statement");
                })))
                .isInstanceOfAny(StackOverflowError.class, TransactionSystemException.class);

        assertThat(backend()).isNotEqualTo(before);
    }

    @Test
    void theKeeperDiscardsAConnectionOnWhichAStatementFailed() {
        AtomicInteger heartbeats = new AtomicInteger();
        KeptTable table = new KeptTable() {
            @Override
            public Set<FencingToken> renew(Connection connection, Collection<HeldLease> held) throws SQLException {
                backends[heartbeats.getAndIncrement()] = pid(connection);
                if (heartbeats.get() == 1) {
                    throw new StackOverflowError("in a statement");
                }
                return Set.of(new FencingToken(1));
            }

            @Override
            public Set<FencingToken> stillHeld(Connection connection, Collection<HeldLease> held) {
                return Set.of();
            }
        };
        try (Keeper keeper = new Keeper(pool, Duration.ofMinutes(1), ElapsedClock.OF_THIS_MACHINE)) {
            Duration anHour = Duration.ofHours(1);
            Hold hold = keeper.keep(table, new HeldLease("parcel", "7", new FencingToken(1)), anHour, anHour);
            keeper.beat();
            keeper.beat();
            assertThat(hold.stop()).isNull();
        }
        assertThat(heartbeats).hasValue(2);
        assertThat(backends[1]).isNotEqualTo(backends[0]);
    }

    private final int[] backends = new int[2];

    private static int pid(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_backend_pid()");
                ResultSet found = statement.executeQuery()) {
            found.next();
            return found.getInt(1);
        }
    }

    /** The stack may have overflowed inside a statement of the step. The library cannot tell. */
    @Test
    void aStackOverflowInATransactionalStepDiscardsItsConnection() {
        StepTransactions steps = StepTransactions.of(() -> manager, pool, own);
        int before = backend();
        StackOverflowError thrown = new StackOverflowError("of the step");

        assertThatThrownBy(() -> steps.run(
                        "A step",
                        () -> {
                            throw thrown;
                        },
                        result -> {}))
                .isSameAs(thrown);

        assertThat(backend()).isNotEqualTo(before);
    }

    @Test
    void aStackOverflowUnderASameTransactionKeyDiscardsTheConnection() {
        SagaSchema schema = SagaSchema.migrate(pool, null);
        Duration some = Duration.ofMinutes(1);
        KeyStore store = new KeyStore(schema, "node", own, new KeySettings(some, some, some, some), List.of());
        StackOverflowError thrown = new StackOverflowError("of the work");
        int before = backend();
        try (Keeper keeper = new Keeper(pool, some, ElapsedClock.OF_THIS_MACHINE)) {
            Idempotency keys = new Idempotency(
                            new IdempotencyKeys(store, keeper), pool, () -> manager, 1, new JsonPayloadCodec(1_000))
                    .inTransaction();

            assertThatThrownBy(() -> keys.execute(IdempotencyKey.of("credit", "1"), Integer.class, () -> {
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            assertThat(backend()).isNotEqualTo(before);
            assertThat(keys.execute(IdempotencyKey.of("credit", "1"), Integer.class, () -> 5))
                    .isEqualTo(5);
        }
    }
}
