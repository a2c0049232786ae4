package io.sagaspring.test.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schedule.Missed;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.PostgresScheduleStore;
import io.sagaspring.schedule.ScheduleSpec;
import io.sagaspring.schedule.ScheduleState;
import io.sagaspring.schedule.ScheduleStore;
import io.sagaspring.schedule.ScheduleStore.Changed;
import io.sagaspring.schedule.ScheduleTerms;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.DatabaseTemplate;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;

class PostgresScheduleStoreTests extends ScheduleStoreContract {

    static final class Installed implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) {
            SagaSchema.migrate(dataSource, null);
        }
    }

    private static final TestDatabase database = TestDatabase.create(Installed.class);
    private static final SagaSchema schema = SagaSchema.verify(database.dataSource(), null);
    private static final HikariDataSource pool = pool();
    private static final ScheduleStore store = open();
    private static final ScheduleStore another = open();

    private static HikariDataSource pool() {
        HikariDataSource opened = new HikariDataSource();
        opened.setDataSource(database.dataSource());
        opened.setMinimumIdle(0);
        return opened;
    }

    private static ScheduleStore open() {
        return new PostgresScheduleStore(schema, new OwnTransactions(pool), pool);
    }

    @AfterAll
    static void drop() {
        pool.close();
        database.close();
    }

    @Override
    protected ScheduleStore store() {
        return store;
    }

    @Override
    protected ScheduleStore another() {
        return another;
    }

    /**
     * The lock of the row already prevents such a change. The version is a second guard, for example against a
     * statement that a person executes.
     */
    @Test
    void aScheduleThatChangedInTheMeantimeIsNotWritten() {
        JdbcClient jdbc = JdbcClient.create(pool);
        ScheduleTerms terms = new ScheduleTerms(
                "run",
                new ScheduleSpec.Rate(Duration.ofMinutes(1)),
                Missed.LATEST,
                Duration.ofDays(1),
                Overlap.SKIP,
                null);
        assertThat(store.declare("guarded", terms, "node", (before, now) -> ScheduleState.beginningAt(now)))
                .isTrue();

        assertThatThrownBy(() -> store.change("guarded", locked -> {
                    jdbc.sql("SELECT 1").query(Integer.class).single();
                    pretendAnotherVersion(jdbc);
                    return new Changed<>(ScheduleState.beginningAt(null), null, List.of(), null, "written");
                }))
                .isInstanceOf(OptimisticLockingFailureException.class)
                .hasMessageContaining("'guarded'");

        assertThat(store.list().stream().filter(each -> each.name().equals("guarded")))
                .allMatch(each -> each.state().nextAt() != null);
    }

    /**
     * Updates the row on the connection that changes the schedule, because any other connection would wait for the lock
     * of the row.
     */
    private static void pretendAnotherVersion(JdbcClient jdbc) {
        assertThat(jdbc.sql("UPDATE saga_schedule SET version = version + 1 WHERE name = 'guarded'")
                        .update())
                .isEqualTo(1);
    }
}
