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
 * The transaction in which a caller is already, where it is one of our data source.
 *
 * @since 0.1.0
 */
public final class CallersTransaction {

    private final DataSource dataSource;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /**
     * Transactions of a data source.
     *
     * @param dataSource the one that transaction managers bind
     */
    public CallersTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Whether the caller is in one. One of another data source is none.
     *
     * @return whether statements can take part
     */
    public boolean isActive() {
        return TransactionPhase.isActive() && TransactionSynchronizationManager.hasResource(dataSource);
    }

    /**
     * Runs statements in it.
     *
     * @param what what they do, as the subject of a sentence
     * @param statements execute on its connection
     * @param <T> what they find
     * @return what they found
     */
    public <T extends @Nullable Object> T run(String what, OwnTransactions.Work<T> statements) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return OutOfStep.guarded(connection, statements);
        } catch (SQLException failed) {
            throw Objects.requireNonNullElseGet(
                    translator.translate(what, null, failed), () -> new UncategorizedSQLException(what, null, failed));
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
