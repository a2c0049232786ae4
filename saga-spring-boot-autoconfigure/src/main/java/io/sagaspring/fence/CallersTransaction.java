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
    private final JoinGuard guard;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /**
     * Gives access to the transactions of a data source.
     *
     * @param dataSource the data source to which transaction managers bind connections
     * @param guard the guard that recognizes transactions of another database
     */
    public CallersTransaction(DataSource dataSource, JoinGuard guard) {
        this.dataSource = dataSource;
        this.guard = guard;
    }

    /**
     * Returns true if the caller is in a transaction of the data source. A transaction of another data source does not
     * count.
     *
     * @return true if there is such a transaction, even if it belongs to a tenant's own database
     */
    public boolean isActive() {
        return TransactionPhase.isActive() && TransactionSynchronizationManager.hasResource(dataSource);
    }

    /**
     * Returns true if the caller is in a transaction that the library's statements can join.
     *
     * @return false if there is no transaction, or if it belongs to a tenant's own database
     */
    public boolean canBeJoined() {
        return isActive()
                && (guard == JoinGuard.NONE
                        || this.<@Nullable String>on("Recognizing a database", guard::tenantElsewhere) == null);
    }

    /**
     * Requires that the library's statements can join the caller's transaction.
     *
     * @param operation the operation's name, with which an exception's message begins
     * @throws IllegalStateException if the transaction belongs to another database
     */
    public void requireJoinable(String operation) {
        // Throw here and not within the statements. There, OutOfStep would abort the caller's connection.
        String tenant = guard == JoinGuard.NONE ? null : this.<@Nullable String>on(operation, guard::tenantElsewhere);
        if (tenant != null) {
            throw JoinGuard.refusal(operation, tenant);
        }
    }

    /**
     * Runs statements in the caller's transaction.
     *
     * @param operation the operation's name, with which an exception's message begins
     * @param statements the code that executes the statements on the transaction's connection
     * @param <T> the type of the result
     * @return the result of the statements
     * @throws IllegalStateException if the transaction belongs to another database
     */
    public <T extends @Nullable Object> T run(String operation, OwnTransactions.Work<T> statements) {
        requireJoinable(operation);
        return on(operation, statements);
    }

    private <T extends @Nullable Object> T on(String operation, OwnTransactions.Work<T> statements) {
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
