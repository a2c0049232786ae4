package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.run.FencedException;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunExecutions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StoredValue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What holds on PostgreSQL, whoever writes: each by itself, or many together. */
abstract class AbstractPostgresRunStoreTests extends RunStoreContract {

    private static final StoredValue NOTHING = new StoredValue("none", new byte[0]);

    private final RunDatabase database;

    AbstractPostgresRunStoreTests(RunDatabase database) {
        this.database = database;
    }

    /** Calls whose answers can be lost. */
    enum Call {
        START,
        CHECKPOINT,
        SUSPEND,
        END
    }

    /** How to know the statement by which a call is written. */
    abstract String statement(Call call);

    /** A store that writes in the way that is tested. */
    abstract RunStore open(DataSource connections, String node) throws Exception;

    @BeforeEach
    void empty() {
        database.empty();
    }

    @AfterEach
    void giveBackKeepers() throws SQLException {
        database.giveBackKeepers();
    }

    @Override
    protected void pass(Duration duration) {
        database.pass(duration);
    }

    @Override
    protected RenewableLeases.Connecting connecting() {
        return database::keepers;
    }

    /** A pool on which the answer of one statement is lost: it was executed, and something happens before that is noticed. */
    private final class Losing extends DelegatingDataSource {

        private final String lost;
        private final Runnable meanwhile;
        private final AtomicBoolean isLost = new AtomicBoolean();

        Losing(String lost, Runnable meanwhile) {
            super(database.pool());
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

        RunStore store() throws Exception {
            return open(this, "one");
        }
    }

    private static final String CONCLUSION = "saga:run.conclude */";

    private RunLease begun() {
        return granted(
                store().start(new RunExecutions.NewRun(RunId.next(), "lost", null, NOTHING, NOTHING, null, true)));
    }

    @Test
    void aConclusionWhoseAnswerIsLostWasAddedWhateverTheRunIsToldMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = new Losing(
                CONCLUSION,
                () -> assertThat(another().reply(runLease.id(), last("answer", "1", "1")))
                        .isEqualTo(RunInbox.Answer.ACCEPTED));

        assertThat(losing.store().conclude(runLease, done(0, 2), told(0))).isTrue();

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another().find(runLease.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(told(1));
    }

    @Test
    void aConclusionWhoseAnswerIsLostIsToldToNobodyWhoIsOvertakenMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = new Losing(CONCLUSION, () -> {
            pass(LEASE);
            assertThat(another().take(runLease.id(), Set.of("lost"), MANY))
                    .hasValueSatisfying(
                            taken -> assertThat(texts(taken.journal())).isEqualTo(texts(done(0, 1))));
        });

        assertThatThrownBy(() -> losing.store().conclude(runLease, done(0, 1), told(0)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void thatARunUndoesIsSaidAgainWhereTheAnswerIsLost() throws Exception {
        RunLease runLease = begun();
        Losing losing = new Losing("saga:run.compensate */", () -> {});

        assertThat(losing.store().compensate(runLease, done(0, 2))).isEqualTo(told(0));

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another().find(runLease.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
    }

    /** With no key by which it could be said again. */
    @Test
    void aReplyWhoseCommitIsNotAcknowledgedIsAcceptedOnce() throws Exception {
        RunLease runLease = begun();
        Losing losing = new Losing("COMMIT", () -> {});

        assertThat(losing.store().reply(runLease.id(), last("answer", null, "1")))
                .isEqualTo(RunInbox.Answer.ACCEPTED);

        assertThat(losing.isLost).isTrue();
        assertThat(store().signals(runLease.id(), "answer")).hasSize(1);
        assertThat(store().checkpoint(runLease, List.of())).isEqualTo(told(1));
    }

    private Losing losing(Call call, Runnable meanwhile) {
        return new Losing(statement(call), meanwhile);
    }

    private static RunExecutions.NewRun lost() {
        return new RunExecutions.NewRun(RunId.next(), "lost", null, NOTHING, NOTHING, null, true);
    }

    private void tell(RunLease runLease) {
        assertThat(another().signal(runLease.id(), "paid", "1", stored("1"))).isEqualTo(RunInbox.Answer.ACCEPTED);
    }

    private PickedUpRun take(RunId id) {
        return another().take(id, Set.of("lost"), MANY).orElseThrow();
    }

    @Test
    void aStartWhoseAnswerIsLostIsTheCallersIfNobodyTookItMeanwhile() throws Exception {
        Losing losing = losing(Call.START, () -> {});
        RunExecutions.NewRun run = lost();

        RunLease runLease = granted(losing.store().start(run));

        assertThat(losing.isLost).isTrue();
        assertThat(runLease.id()).isEqualTo(run.id());
        assertThat(store().checkpoint(runLease, done(0, 1))).isEqualTo(told(0));
    }

    @Test
    void aStartWhoseAnswerIsLostIsNotTheCallersIfAnotherTookItMeanwhile() throws Exception {
        RunExecutions.NewRun run = lost();
        Losing losing = losing(Call.START, () -> {
            pass(LEASE);
            assertThat(take(run.id()).journal()).isEmpty();
        });

        RunExecutions.Started started = losing.store().start(run);

        assertThat(losing.isLost).isTrue();
        assertThat(started.id()).isEqualTo(run.id());
        assertThat(started.token()).isNull();
    }

    @Test
    void aCheckpointWhoseAnswerIsLostIsWrittenOnceAndSeesWhatTheRunIsToldMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(Call.CHECKPOINT, () -> tell(runLease));

        assertThat(losing.store().checkpoint(runLease, done(0, 2))).isEqualTo(told(1));

        assertThat(losing.isLost).isTrue();
        assertThat(texts(another().find(runLease.id()).orElseThrow().journal())).isEqualTo(texts(done(0, 2)));
    }

    @Test
    void aCheckpointWhoseAnswerIsLostIsHandedToWhoOvertakesMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(Call.CHECKPOINT, () -> {
            pass(LEASE);
            assertThat(texts(take(runLease.id()).journal())).isEqualTo(texts(done(0, 2)));
        });

        assertThatThrownBy(() -> losing.store().checkpoint(runLease, done(0, 2)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void aRunWaitsAlsoWhereTheAnswerIsLostAndItIsToldSomethingMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(Call.SUSPEND, () -> tell(runLease));

        assertThat(losing.store().suspend(runLease, done(0, 1), Duration.ofHours(1), told(0)))
                .isTrue();

        assertThat(losing.isLost).isTrue();
        PickedUpRun taken = take(runLease.id());
        assertThat(taken.standing()).isEqualTo(told(1));
        assertThat(texts(taken.journal())).isEqualTo(texts(done(0, 1)));
    }

    @Test
    void aRepeatedSuspensionIsRefusedIfTheRunWasTakenMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(Call.SUSPEND, () -> {
            tell(runLease);
            assertThat(texts(take(runLease.id()).journal())).isEqualTo(texts(done(0, 1)));
        });

        assertThatThrownBy(() -> losing.store().suspend(runLease, done(0, 1), null, told(0)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void aRunEndsAlsoWhereTheAnswerIsLost() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(
                Call.END,
                () -> assertThat(another().signal(runLease.id(), "paid", "1", stored("1")))
                        .isEqualTo(RunInbox.Answer.TOO_LATE));

        losing.store()
                .end(runLease, done(0, 2), new RunExecutions.Ending(RunState.COMPLETED, stored("result"), null, null));

        assertThat(losing.isLost).isTrue();
        RunRow row = another().find(runLease.id()).orElseThrow();
        assertThat(row.state()).isEqualTo(RunState.COMPLETED);
        assertThat(texts(row.journal())).isEqualTo(texts(done(0, 2)));
    }

    @Test
    void aRepeatedEndIsRefusedIfTheRunWasRetriedMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(Call.END, () -> {
            assertThat(another().retry(runLease.id())).isTrue();
            assertThat(take(runLease.id()).attempt()).isOne();
        });

        assertThatThrownBy(() -> losing.store()
                        .end(runLease, List.of(), new RunExecutions.Ending(RunState.FAILED, null, "an error", null)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    @Test
    void aRunThatEndsUnlessToldEndsAlsoWhereTheAnswerIsLostAndItIsToldSomethingMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(Call.END, () -> tell(runLease));

        assertThat(losing.store()
                        .endUnlessTold(
                                runLease,
                                done(0, 1),
                                new RunExecutions.Ending(RunState.BLOCKED, null, "an error", Duration.ofHours(1)),
                                told(0)))
                .isTrue();

        assertThat(losing.isLost).isTrue();
        assertThat(another().find(runLease.id()).orElseThrow().state()).isEqualTo(RunState.BLOCKED);
    }

    @Test
    void aRepeatedConditionalEndIsRefusedIfTheRunWasTakenMeanwhile() throws Exception {
        RunLease runLease = begun();
        Losing losing = losing(
                Call.END, () -> assertThat(texts(take(runLease.id()).journal())).isEqualTo(texts(done(0, 1))));

        assertThatThrownBy(() -> losing.store()
                        .endUnlessTold(
                                runLease,
                                done(0, 1),
                                new RunExecutions.Ending(RunState.BLOCKED, null, "an error", Duration.ZERO),
                                told(0)))
                .isInstanceOf(FencedException.class);
        assertThat(losing.isLost).isTrue();
    }

    /** Rows that this node does not know cost it nothing, however many are due. */
    @Test
    void dueRunsOfOtherNamesAreNotScanned() throws Exception {
        database.renew();
        database.jdbc().sql("""
                        INSERT INTO saga_run (id, run, state, format, input, due_at, started_at)
                        SELECT gen_random_uuid(), 'unknown-' || n % 10, 'pending', 'none', '', now() - n * INTERVAL '1 second', now()
                        FROM generate_series(1, 20000) AS n""").update();
        for (int each = 0; each < 5; each++) {
            RunId unused = store().start(
                            new RunExecutions.NewRun(RunId.next(), "known", null, NOTHING, NOTHING, null, false))
                    .id();
        }
        List<String> plans = new ArrayList<>();
        RunStore explaining = open(new Explaining(plans), "explaining");

        assertThat(explaining.untilDue(Set.of("known"), Duration.ZERO)).isPresent();
        assertThat(explaining.take(Set.of("known"), 3, 3)).hasSize(3);

        assertThat(plans)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(plan -> assertThat(plan)
                        .contains("Index Scan using saga_run_lane")
                        .doesNotContain("Seq Scan on saga_run"));
        assertThat(plans).allSatisfy(plan -> assertThat(buffers(plan)).isLessThan(200));
    }

    private static int buffers(String plan) {
        Matcher hits = Pattern.compile("Buffers: shared hit=(\\d+)").matcher(plan);
        assertThat(hits.find()).isTrue();
        return Integer.parseInt(hits.group(1));
    }

    /** What the server does for a query is kept beside its answer; a statement that changes rows is explained and undone. */
    private final class Explaining extends DelegatingDataSource {

        private final List<String> plans;

        Explaining(List<String> plans) {
            super(database.pool());
            this.plans = plans;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, given) -> {
                        try {
                            if (method.getName().equals("prepareStatement")
                                    && given[0].toString().contains("lane")) {
                                return explained(
                                        real, (PreparedStatement) method.invoke(real, given), given[0].toString());
                            }
                            return method.invoke(real, given);
                        } catch (InvocationTargetException failed) {
                            throw failed.getCause();
                        }
                    });
        }

        private PreparedStatement explained(Connection real, PreparedStatement statement, String sql)
                throws SQLException {
            PreparedStatement plan = real.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + sql);
            return (PreparedStatement) Proxy.newProxyInstance(
                    PreparedStatement.class.getClassLoader(),
                    new Class<?>[] {PreparedStatement.class},
                    (self, method, given) -> {
                        try {
                            if (method.getName().startsWith("set")) {
                                Object unused = method.invoke(plan, given);
                            } else if (method.getName().equals("executeQuery")) {
                                explain(real, plan);
                            }
                            return method.invoke(statement, given);
                        } catch (InvocationTargetException failed) {
                            throw failed.getCause();
                        }
                    });
        }

        private void explain(Connection real, PreparedStatement plan) throws SQLException {
            boolean autoCommit = real.getAutoCommit();
            real.setAutoCommit(false);
            Savepoint before = real.setSavepoint();
            StringBuilder text = new StringBuilder();
            try (ResultSet lines = plan.executeQuery()) {
                while (lines.next()) {
                    text.append(lines.getString(1)).append('\n');
                }
            }
            plans.add(text.toString());
            real.rollback(before);
            if (autoCommit) {
                real.commit();
                real.setAutoCommit(true);
            }
        }
    }

    /** An update returns its rows in the order of its plan, which is another one where many runs are due. */
    @Test
    void anotherQueryPlanKeepsTheOrderOfDueRuns() throws Exception {
        for (int each = 0; each < 50; each++) {
            RunId unused = store().start(
                            new RunExecutions.NewRun(RunId.next(), "planned", null, NOTHING, NOTHING, null, false))
                    .id();
        }
        database.jdbc()
                .sql("UPDATE saga_run SET due_at = due_at - random() * INTERVAL '1 hour'")
                .update();
        List<RunId> longestFirst = database.jdbc()
                .sql("SELECT id FROM saga_run ORDER BY due_at")
                .query((row, number) -> RunId.of(row.getString(1)))
                .list();
        try (HikariDataSource hashing = database.newPool()) {
            hashing.setConnectionInitSql("SET enable_nestloop = off; SET enable_mergejoin = off");

            assertThat(open(hashing, "hashing").take(Set.of("planned"), 100, 3))
                    .extracting(taken -> taken.runLease().id())
                    .isEqualTo(longestFirst);
        }
    }
}
