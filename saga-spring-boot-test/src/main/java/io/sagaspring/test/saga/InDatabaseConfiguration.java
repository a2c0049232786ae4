package io.sagaspring.test.saga;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.StepTransactions;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** Stores executions in a database that contains only this test's data. */
@Configuration(proxyBeanMethods = false)
@Import(SagaTestConfiguration.class)
@ImportAutoConfiguration
class InDatabaseConfiguration {

    @Bean
    @Fallback
    SagaClock sagaClock() {
        return new SagaClock(Instant::now);
    }

    @Bean
    TestStore sagaTestStore(
            SagaSchema schema,
            DataSource dataSource,
            PlatformTransactionManager transactions,
            SagaClock clock,
            Environment environment) {
        return new InDatabase(schema, dataSource, transactions, clock, TestSettings.of(environment));
    }

    private static final class InDatabase implements TestStore {

        /**
         * The statements that move the stored times of runs into the past: one for each of TABLES, in the same order.
         */
        private static final List<String> TIME_SHIFTS =
                List.of("""
                UPDATE %s SET due_at = due_at - $, deadline_at = deadline_at - $, started_at = started_at - $,
                    ended_at = ended_at - $""", """
                UPDATE %s SET until = until - $, at = at - $, detail = CASE WHEN call <> 'NOW' THEN detail ELSE
                    to_char((detail::timestamptz - $) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') END""", "UPDATE %s SET at = at - $", "UPDATE %s SET used_until = used_until - $");

        private static final List<String> TABLES = List.of("saga_run", "saga_step", "saga_signal", "saga_rate");

        private static final List<String> OTHER_TABLES =
                List.of("saga_label", "saga_queue", "saga_permit", "saga_key_permit");

        private final SagaSchema schema;
        private final DataSource dataSource;
        private final PlatformTransactionManager transactions;
        private final TestSettings settings;
        private final JdbcTemplate jdbc;

        InDatabase(
                SagaSchema schema,
                DataSource dataSource,
                PlatformTransactionManager transactions,
                SagaClock clock,
                TestSettings settings) {
            this.schema = schema;
            this.dataSource = dataSource;
            this.transactions = transactions;
            this.settings = settings;
            this.jdbc = new JdbcTemplate(dataSource);
            clock.alsoMoving(this::shift);
        }

        private void shift(Duration by) {
            String interval = "%d * INTERVAL '1 microsecond'".formatted(by.toNanos() / 1_000);
            for (int each = 0; each < TABLES.size(); each++) {
                jdbc.update(TIME_SHIFTS
                        .get(each)
                        .formatted(schema.table(TABLES.get(each)))
                        .replace("$", interval));
            }
        }

        @Override
        public void clear() {
            Stream.concat(TABLES.stream(), OTHER_TABLES.stream())
                    .forEach(each -> jdbc.update("DELETE FROM %s".formatted(schema.table(each))));
        }

        @Override
        public Stores of(String node) {
            PostgresRunStore store = new PostgresRunStore(
                    schema,
                    node,
                    new OwnTransactions(dataSource),
                    dataSource,
                    settings.lease(),
                    settings.retention(),
                    PostgresRunStore.Commits.SHARED);
            return new Stores(store, store.queues());
        }

        @Override
        public StepTransactions transactions() {
            return StepTransactions.of(() -> transactions, dataSource, new OwnTransactions(dataSource));
        }
    }
}
