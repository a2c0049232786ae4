package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.FencedTransaction;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** A same-transaction key joins the caller's transaction or begins its own, and refuses an unsuitable transaction. */
class TransactionOfAKeyTests extends KeysInOneCommit {

    private static final DataSource repeatable =
            prepared(connection -> connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ));

    @Test
    void aSameTransactionKeyIsRefusedInsideAWorkflowStep() {
        transaction.executeWithoutResult(status -> {
            FencedTransaction.begin();
            try {
                assertThatExceptionOfType(InsideStepException.class).isThrownBy(() -> creditOnce(500));
            } finally {
                FencedTransaction.end();
            }
        });
        assertThat(sum()).isZero();
    }

    @Test
    void aTransactionManagerOfAnotherDatabaseIsRefused() {
        try (TestDatabase other = TestDatabase.create()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> idempotency(Duration.ofSeconds(1), connections, other.dataSource())
                            .execute(KEY, Integer.class, () -> credit(500)))
                    .withMessageContaining("not on the data source");
        }
        assertThat(sum()).isZero();
    }

    /**
     * If a transaction of another database has read the library's tables, Spring has bound an auto-commit connection to
     * it.
     */
    @Test
    void aConnectionBoundToAnotherDatabasesTransactionIsRefused() {
        try (TestDatabase other = TestDatabase.create()) {
            DataSource elsewhere = other.dataSource();
            Idempotency mismatched = idempotency(Duration.ofSeconds(1), connections, elsewhere);
            new TransactionTemplate(new DataSourceTransactionManager(elsewhere)).executeWithoutResult(status -> {
                assertThat(sum()).isZero();
                assertThatExceptionOfType(IllegalStateException.class)
                        .isThrownBy(() -> mismatched.execute(KEY, Integer.class, () -> credit(500)))
                        .withMessageContaining("not on the data source");
                status.setRollbackOnly();
            });
        }
        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
    }

    /** Connections of a pool without auto-commit look transactional, but no transaction would commit them. */
    @Test
    void aConnectionWithoutAutoCommitIsRefusedOutsideATransaction() {
        DataSource manual = prepared(connection -> connection.setAutoCommit(false));
        try (TestDatabase other = TestDatabase.create()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> idempotency(Duration.ofSeconds(1), manual, other.dataSource())
                            .execute(KEY, Integer.class, () -> credit(500)))
                    .withMessageContaining("not on the data source");
        }
        assertThat(sum()).isZero();
    }

    /** The application chooses the isolation level for its own work. */
    @Test
    void aKeysOwnTransactionUsesTheIsolationOfItsConnection() {
        assertThat(idempotency(repeatable).execute(KEY, String.class, TransactionOfAKeyTests::isolation))
                .isEqualTo("repeatable read");
    }

    @Test
    void theCallersTransactionKeepsItsIsolation() {
        new TransactionTemplate(new DataSourceTransactionManager(repeatable)).executeWithoutResult(status -> {
            assertThat(isolation()).isEqualTo("repeatable read");
            assertThat(idempotency(repeatable).execute(KEY, String.class, TransactionOfAKeyTests::isolation))
                    .isEqualTo("repeatable read");
        });
    }

    /** The transaction's snapshot is too old for the reply. The next attempt gets a new snapshot. */
    @Test
    void aTransactionThatCannotSeeTheFirstRequestFailsWithoutEffect() {
        TransactionTemplate old = new TransactionTemplate(new DataSourceTransactionManager(repeatable));

        assertThatExceptionOfType(DuplicateRequestException.class)
                .isThrownBy(() -> old.executeWithoutResult(status -> {
                    assertThat(isolation()).isEqualTo("repeatable read");
                    separately(() -> creditOnce(500));
                    idempotency(repeatable).execute(KEY, Integer.class, () -> credit(900));
                }));
        assertThat(sum()).isEqualTo(500);
    }

    private static DataSource prepared(Preparation preparation) {
        return new DelegatingDataSource(connections) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                preparation.of(connection);
                return connection;
            }
        };
    }

    private interface Preparation {
        void of(Connection connection) throws SQLException;
    }

    private static String isolation() {
        return JdbcClient.create(repeatable)
                .sql("SELECT current_setting('transaction_isolation')")
                .query(String.class)
                .single();
    }
}
