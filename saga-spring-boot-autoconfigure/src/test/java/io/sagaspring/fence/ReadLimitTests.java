package io.sagaspring.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class ReadLimitTests {

    private static final Duration SHORT = Duration.ofMillis(100);

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    private final SingleConnectionDataSource one = new SingleConnectionDataSource(
            database.getJdbcUrl(),
            String.valueOf(database.getUsername()),
            String.valueOf(database.getPassword()),
            true);
    private final OwnTransactions own = new OwnTransactions(one);

    private int update(String sql) {
        return own.single(connection -> update(connection, sql));
    }

    private static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return statement.getUpdateCount();
        }
    }

    @Test
    void aLimitedTransactionCannotWriteAndTheNextOneCan() {
        assertThatException()
                .isThrownBy(() -> ReadLimit.within(SHORT, () -> update("CREATE TABLE refused (id int)")))
                .withStackTraceContaining("read-only transaction");

        update("CREATE TABLE allowed (id int)");
        assertThat(update("INSERT INTO allowed VALUES (1)")).isEqualTo(1);
    }

    @Test
    void aSlowStatementIsCancelledOnlyWithinTheLimit() {
        assertThatException()
                .isThrownBy(() -> ReadLimit.within(SHORT, () -> update("SELECT pg_sleep(5)")))
                .withStackTraceContaining("statement timeout");

        update("SELECT pg_sleep(0.2)");
    }

    @Test
    void thePlannerIsLimitedOnlyWithinTheLimit() {
        String before = plannerSettings();

        assertThat(ReadLimit.within(SHORT, this::plannerSettings)).isEqualTo("force_custom_plan, off, off");
        assertThat(plannerSettings()).isEqualTo(before).isNotEqualTo("force_custom_plan, off, off");
    }

    private String plannerSettings() {
        return own.single(connection -> Sql.named("test.settings", """
                        SELECT concat_ws(', ', current_setting('plan_cache_mode'), current_setting('enable_seqscan'),
                            current_setting('jit')) AS settings""")
                .on(connection)
                .first(row -> row.text("settings"))
                .orElseThrow());
    }

    @Test
    void theLimitFollowsAFunctionToAnotherThread() throws InterruptedException {
        Function<String, Integer> carried =
                ReadLimit.within(SHORT, () -> ReadLimit.carried((String sql) -> update(sql)));
        StringBuilder failure = new StringBuilder();
        Thread other = new Thread(() -> {
            try {
                failure.append(carried.apply("SELECT pg_sleep(5)"));
            } catch (RuntimeException cancelled) {
                failure.append(cancelled.getMessage());
            }
        });
        other.start();
        other.join();

        assertThat(failure.toString()).contains("statement timeout");
    }
}
