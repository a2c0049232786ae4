package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The caller's transaction, if there is one on the library's data source.
 *
 * @since 0.1.0
 */
public final class CallersTransaction {

    private final DataSource dataSource;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /**
     * Gives access to the transactions of a data source.
     *
     * @param dataSource the data source to which transaction managers bind connections
     */
    public CallersTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Returns true if the caller is in a transaction of the data source. A transaction of another data source does not
     * count.
     *
     * @return true if statements can join the transaction
     */
    public boolean isActive() {
        return TransactionPhase.isActive() && TransactionSynchronizationManager.hasResource(dataSource);
    }

    /**
     * Runs statements in the caller's transaction.
     *
     * @param operation the operation's name, used as the subject of a message
     * @param statements executes the statements on the transaction's connection
     * @param <T> the type of the result
     * @return the result of the statements
     */
    public <T extends @Nullable Object> T run(String operation, OwnTransactions.Work<T> statements) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return OutOfStep.guarded(connection, statements);
        } catch (SQLException failed) {
            throw Objects.requireNonNullElseGet(
                    translator.translate(operation, null, failed),
                    () -> new UncategorizedSQLException(operation, null, failed));
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
