package io.sagaspring.test.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.run.RunExecutions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunStore;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Tests a store on PostgreSQL, whether it writes each run on its own or many runs in one batch. */
abstract class AbstractPostgresRunStoreTests extends LostReplacementsContract {

    AbstractPostgresRunStoreTests(RunDatabase database) {
        super(database);
    }

    /** Due runs whose names a node does not know do not slow down its search, however many there are. */
    @Test
    void dueRunsWithUnknownNamesAreNotScanned() throws Exception {
        database.truncate();
        database.jdbc().sql("""
                        INSERT INTO saga_run (id, run, state, format, input, due_at, started_at)
                        SELECT gen_random_uuid(), 'unknown-' || n % 10, 'pending', 'none', '', now() - n * INTERVAL '1 second', now()
                        FROM generate_series(1, 20000) AS n""").update();
        for (int each = 0; each < 5; each++) {
            RunId unused = store().start(
                            new RunExecutions.NewRun(RunId.next(), "known", null, null, NOTHING, NOTHING, null, false))
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

    /**
     * A pool that records the plan and the buffers of each query for due runs. EXPLAIN ANALYZE executes a statement, so
     * the explained statement is rolled back before the real statement is executed.
     */
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
            // A setting may precede the statement in the same message.
            String last = sql.substring(sql.lastIndexOf(';') + 1);
            PreparedStatement plan = real.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + last);
            return (PreparedStatement) Proxy.newProxyInstance(
                    PreparedStatement.class.getClassLoader(),
                    new Class<?>[] {PreparedStatement.class},
                    (self, method, given) -> {
                        try {
                            if (method.getName().startsWith("set")) {
                                Object unused = method.invoke(plan, given);
                            } else if (method.getName().startsWith("execute")) {
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

    /**
     * A pickup returns its rows in the order of its plan. The server chooses a different plan when many runs are due.
     */
    @Test
    void dueRunsArePickedUpInTheirOrderWhateverTheQueryPlan() throws Exception {
        for (int each = 0; each < 50; each++) {
            RunId unused = store().start(new RunExecutions.NewRun(
                            RunId.next(), "planned", null, null, NOTHING, NOTHING, null, false))
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
                    .extracting(pickedUp -> pickedUp.runLease().id())
                    .isEqualTo(longestFirst);
        }
    }
}
