package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.Kept;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.Driven;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.PostgresRunStore;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Stored;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.test.database.DatabaseTemplate;
import io.sagaspring.test.database.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

class PostgresRunStoreTests extends RunStoreContract {

    /** A database in which the library has run before. */
    static final class Installed implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) {
            new SchemaInstaller(dataSource, null).migrate();
        }
    }

    private static final TestDatabase database = TestDatabase.create(Installed.class);
    private static final SagaSchema schema = new SchemaInstaller(database.dataSource(), null).verify();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private static final HikariDataSource pool = pool();
    private static final Stored NOTHING = new Stored("none", new byte[0]);
    private static final RunStore store = onPool(pool, "one");
    private static final RunStore another = onPool(pool, "another");

    /** All that says when something was, or is to be. */
    private static final List<String> PASSING = List.of(
            "UPDATE saga_run SET due_at = due_at - $, deadline_at = deadline_at - $, started_at = started_at - $, ended_at = ended_at - $",
            "UPDATE saga_step SET until = until - $, at = at - $",
            "UPDATE saga_signal SET at = at - $");

    private Connection keepers;

    @BeforeEach
    void connect() throws SQLException {
        // Time passes for all rows, and the fewer there are the faster.
        jdbc.sql("TRUNCATE saga_run, saga_step, saga_signal").update();
        keepers = database.dataSource().getConnection();
    }

    @AfterEach
    void disconnect() throws SQLException {
        keepers.close();
    }

    @AfterAll
    static void drop() {
        pool.close();
        database.close();
    }

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(database.dataSource());
        return pool;
    }

    private static RunStore onPool(DataSource pool, String node) {
        return new PostgresRunStore(
                schema, node, new OwnTransactions(pool), pool, LEASE, RETENTION, PostgresRunStore.Commits.SHARED);
    }

    @Override
    protected RunStore store() {
        return store;
    }

    @Override
    protected RunStore another() {
        return another;
    }

    @Override
    protected void pass(Duration duration) {
        String interval = duration.toMillis() + " * INTERVAL '1 millisecond'";
        PASSING.forEach(sql -> jdbc.sql(sql.replace("$", interval)).update());
    }

    @Override
    protected Kept.Connecting connecting() {
        return () -> keepers;
    }

    /** A pool on which the answer of one statement is lost: it was executed, and something happens before that is noticed. */
    private static final class Losing extends DelegatingDataSource {

        private final String lost;
        private final Runnable meanwhile;
        private final AtomicBoolean isLost = new AtomicBoolean();

        Losing(String lost, Runnable meanwhile) {
            super(pool);
            this.lost = lost;
            this.meanwhile = meanwhile;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            return proxy(Connection.class, real, "COMMIT");
        }

        private <T> T proxy(Class<T> type, T real, String sql) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
                        Object answer;
                        try {
                            answer = method.invoke(real, given);
                        } catch (InvocationTargetException failed) {
                            throw failed.getCause();
                        }
                        boolean isExecuted = method.getName().startsWith("execute")
                                || method.getName().equals("commit");
                        if (isExecuted && sql.contains(lost) && isLost.compareAndSet(false, true)) {
                            meanwhile.run();
                            throw new SQLException("An I/O error occurred while sending to the backend.", "08006");
                        }
                        return answer instanceof PreparedStatement statement
                                ? proxy(PreparedStatement.class, statement, (String) given[0])
                                : answer;
                    }));
        }

        RunStore store() {
            return onPool(this, "one");
        }
    }

    private static final String CONCLUSION = "WHERE signals = ?";

    private static Driven driven() {
        return granted(store.start(new RunStore.NewRun(RunId.next(), "lost", null, NOTHING, NOTHING, null, true)));
    }

    @Test
    void aConclusionWhoseAnswerIsLostWasAddedWhateverTheRunIsToldMeanwhile() {
        Driven driven = driven();
        Losing losing = new Losing(
                CONCLUSION,
                () -> assertThat(another.reply(driven.id(), last("answer", "1", "1")))
                        .isEqualTo(RunStore.Answer.ACCEPTED));

        assertThat(losing.store().conclude(driven, done(0, 2), told(0))).isTrue();

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another.find(driven.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
        assertThat(store.checkpoint(driven, List.of())).isEqualTo(told(1));
    }

    @Test
    void aConclusionWhoseAnswerIsLostIsToldToNobodyWhoIsOvertakenMeanwhile() {
        Driven driven = driven();
        Losing losing = new Losing(CONCLUSION, () -> {
            pass(LEASE);
            assertThat(another.take(driven.id(), Set.of("lost"), MANY))
                    .hasValueSatisfying(
                            taken -> assertThat(texts(taken.journal())).isEqualTo(texts(done(0, 1))));
        });

        assertThatThrownBy(() -> losing.store().conclude(driven, done(0, 1), told(0)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void thatARunUndoesIsSaidAgainWhereTheAnswerIsLost() {
        Driven driven = driven();
        Losing losing = new Losing("SET compensating", () -> {});

        assertThat(losing.store().compensate(driven, done(0, 2))).isEqualTo(told(0));

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another.find(driven.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
    }

    /** With no key by which it could be said again. */
    @Test
    void aReplyWhoseCommitIsNotAcknowledgedIsAcceptedOnce() {
        Driven driven = driven();
        Losing losing = new Losing("COMMIT", () -> {});

        assertThat(losing.store().reply(driven.id(), last("answer", null, "1"))).isEqualTo(RunStore.Answer.ACCEPTED);

        assertThat(losing.isLost).isTrue();
        assertThat(store.signals(driven.id(), "answer")).hasSize(1);
        assertThat(store.checkpoint(driven, List.of())).isEqualTo(told(1));
    }

    /** An update returns its rows in the order of its plan, which is another one where many runs are due. */
    @Test
    void whatIsDueForLongestIsFirstWhateverThePlan() {
        for (int each = 0; each < 50; each++) {
            RunId unused = store.start(
                            new RunStore.NewRun(RunId.next(), "planned", null, NOTHING, NOTHING, null, false))
                    .id();
        }
        jdbc.sql("UPDATE saga_run SET due_at = due_at - random() * INTERVAL '1 hour'")
                .update();
        List<RunId> longestFirst = jdbc.sql("SELECT id FROM saga_run ORDER BY due_at")
                .query((row, number) -> RunId.of(row.getString(1)))
                .list();
        try (HikariDataSource hashing = new HikariDataSource()) {
            hashing.setDataSource(database.dataSource());
            hashing.setConnectionInitSql("SET enable_nestloop = off; SET enable_mergejoin = off");

            assertThat(onPool(hashing, "hashing").take(Set.of("planned"), 100, 3))
                    .extracting(taken -> taken.driven().id())
                    .isEqualTo(longestFirst);
        }
    }
}
