package io.sagaspring.saga;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StepTransactions;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.run.MemoryRunStore;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** The store, the transactions and the clock for performing scripts. The test lets time pass. */
interface Stage {

    Duration LEASE = Duration.ofSeconds(30);
    Duration RETENTION = Duration.ofDays(30);

    /** The time-out of a saga. It is much longer than all other periods of time in a script. */
    Duration DEADLINE = Duration.ofDays(1);

    RunStore store();

    StepTransactions transactions();

    DataSource connections();

    ElapsedClock ticks();

    /** Lets time pass. Afterwards, waits and leases that last at most this long have ended. */
    void pass(RunId id, Duration time);

    void passDeadline(RunId id);

    static Stage inMemory() {
        return new InMemory();
    }

    static Stage onPostgres(SagaSchema schema, DataSource connections) {
        return new OnPostgres(schema, connections);
    }

    /** Has a clock that the test sets. */
    final class InMemory implements Stage {

        private volatile Duration now = Duration.ZERO;
        private final RunStore store = new MemoryRunStore("node", this::now, LEASE, RETENTION);

        private Duration now() {
            return now;
        }

        @Override
        public RunStore store() {
            return store;
        }

        @Override
        public StepTransactions transactions() {
            return (name, code, journal) -> journal.accept(code.call());
        }

        @Override
        public DataSource connections() {
            return new DelegatingDataSource();
        }

        @Override
        public ElapsedClock ticks() {
            return this::now;
        }

        @Override
        public void pass(RunId id, Duration time) {
            now = now.plus(time);
        }

        @Override
        public void passDeadline(RunId id) {
            now = now.plus(DEADLINE);
        }
    }

    /** Uses the database clock. That clock cannot be set, so future times are moved into the past. */
    final class OnPostgres implements Stage {

        private final RunStore store;
        private final StepTransactions transactions;
        private final DataSource connections;
        private final JdbcClient jdbc;

        OnPostgres(SagaSchema schema, DataSource connections) {
            OwnTransactions own = new OwnTransactions(connections);
            JdbcTransactionManager manager = new JdbcTransactionManager(connections);
            this.store = new PostgresRunStore(schema, "node", own, connections, LEASE, RETENTION, Commits.SHARED);
            this.transactions = StepTransactions.of(() -> manager, connections, own);
            this.connections = connections;
            this.jdbc = JdbcClient.create(connections);
        }

        @Override
        public RunStore store() {
            return store;
        }

        @Override
        public StepTransactions transactions() {
            return transactions;
        }

        @Override
        public DataSource connections() {
            return connections;
        }

        @Override
        public ElapsedClock ticks() {
            return ElapsedClock.OF_THIS_MACHINE;
        }

        @Override
        public void pass(RunId id, Duration time) {
            int unused = jdbc.sql(
                            "UPDATE saga_step SET until = clock_timestamp() WHERE run_id = ? AND until > clock_timestamp()")
                    .param(id.value())
                    .update();
            due(id);
        }

        @Override
        public void passDeadline(RunId id) {
            int unused = jdbc.sql(
                            "UPDATE saga_run SET deadline_at = clock_timestamp() WHERE id = ? AND deadline_at IS NOT NULL")
                    .param(id.value())
                    .update();
            due(id);
        }

        private void due(RunId id) {
            int unused = jdbc.sql("UPDATE saga_run SET due_at = clock_timestamp() WHERE id = ? AND due_at IS NOT NULL")
                    .param(id.value())
                    .update();
        }
    }
}
