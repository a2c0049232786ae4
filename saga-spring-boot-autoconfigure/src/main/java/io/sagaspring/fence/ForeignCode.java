package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs the application's code in a transaction that ends with statements of ours. Such code is an entity's step, a transactional
 * step of a run, the work of a same-transaction key, or a listener of a flip. Each transaction has an object of its own. These are the rules:
 *
 * <ol>
 *   <li>The transaction begins through {@link TransactionPhase#template}. Otherwise, in a callback after the end of another
 *       transaction, Spring would join that one.
 *   <li>Everything that the code throws, checked exceptions and {@code Error}s included, rolls back. The transaction is also marked as
 *       rollback-only, so that no outer code commits the rest of it.
 *   <li>A {@code VirtualMachineError} may come from the middle of a statement. The connection is aborted and not used again, not
 *       even to roll back ({@link OutOfStep}).
 *   <li>Code that reports success in a transaction that is marked rollback-only has failed ({@link #requireCommit}).
 *   <li>Some statements of ours lock rows that a keeper, a janitor or another node needs. They come directly before the commit, after
 *       callbacks that other code has registered there.
 *   <li>The caller gets the exception of the code. An exception of the rollback is added to it as suppressed ({@link #cause}).
 *   <li>A failure after the commit changes nothing: it is logged, and the caller gets the result.
 * </ol>
 *
 * <p>A listener of a flip runs in a short transaction of the library ({@link OwnTransactions}), not in one of Spring. The code gets
 * only its connection ({@link LentConnection}), so rules 1, 4 and 7 do not arise. The flip comes before its listener, which is told
 * the new version. A lost commit is settled as without a listener ({@link LostAnswers}). The listener is called again only after a
 * rollback.
 *
 * <p>Five differences between the other callers are intended:
 *
 * <ul>
 *   <li><b>Isolation.</b> Steps are READ COMMITTED, because the keeper writes their rows while they run. A key keeps the level of
 *       the application, because it may join the caller's transaction.
 *   <li><b>The last statements.</b> A key's reply is written when its work returns. Its row has been locked since the claim, so
 *       waiting for the commit would spare no one, and the commit may belong to the caller. For the same reason Spring decides there
 *       about rules 4 and 7.
 *   <li><b>The connection.</b> An entity's step uses the connection of Hibernate. The others use the one that is bound to the data
 *       source.
 *   <li><b>A {@code TransactionException} from a callback before the commit.</b> Spring takes it for a failure of the commit and does
 *       not roll back. JPA then rolls back, because its session is closed. On a JDBC connection, the return to auto-commit mode would
 *       commit the writes. The others therefore roll back themselves ({@link #rollBack}).
 *   <li><b>A commit whose outcome is open</b> ({@link LostAnswers}). An entity's step asks the server, because it has to know
 *       whether to release the claim. A run's step does not ask and releases the run: the node that picks the run up reads the
 *       outcome from the journal. The same holds if its rollback fails, unless the connection was aborted. With a key, the caller gets
 *       Spring's exception. Work and reply are one commit, so a repetition finds both or neither.
 * </ul>
 *
 * @since 0.1.0
 */
public final class ForeignCode {

    private static final Logger logger = LoggerFactory.getLogger(ForeignCode.class);

    private @Nullable Throwable thrown;
    private boolean aborted;

    /** Creates the object for one transaction. */
    public ForeignCode() {}

    /**
     * Runs the code. Call this method inside the transaction.
     *
     * @param status the status of the transaction
     * @param connection finds the transaction's connection, or null if it has none
     * @param code the code of the application
     * @param <T> the type of the result
     * @return the result of the code
     */
    public <T extends @Nullable Object> T run(
            TransactionStatus status, Supplier<? extends @Nullable Connection> connection, Callable<T> code) {
        try {
            return code.call();
        } catch (Throwable failed) {
            thrown = failed;
            status.setRollbackOnly();
            Connection open = OutOfStep.mayFollowForeign(failed) ? connection.get() : null;
            if (open != null) {
                OutOfStep.abort(open);
                aborted = true;
            }
            throw new CodeThrew();
        }
    }

    /**
     * Throws an exception if the transaction of successful code is marked rollback-only.
     *
     * @param status the status of the transaction
     * @param message the message of the exception
     */
    public static void requireCommit(TransactionStatus status, Supplier<String> message) {
        if (status.isRollbackOnly()) {
            throw new UnexpectedRollbackException(message.get());
        }
    }

    /**
     * Remembers the exception with which statements of ours refuse the commit. Without this, it would be lost if the rollback fails,
     * too.
     *
     * @param refused the exception of the statements
     * @return the same exception
     */
    public RuntimeException remembered(RuntimeException refused) {
        thrown = refused;
        return refused;
    }

    /**
     * Finds the exception that the caller gets.
     *
     * @param failed the exception of the transaction
     * @return the exception of the code, or the given one if the code has thrown nothing
     */
    public Throwable cause(Throwable failed) {
        if (thrown == null) {
            return failed;
        }
        if (failed != thrown && !(failed instanceof CodeThrew)) {
            thrown.addSuppressed(failed);
        }
        return thrown;
    }

    /**
     * Tells whether the transaction is known not to be committed.
     *
     * @param failed the exception of the transaction
     * @return true if it was rolled back because of the code, or if its connection was aborted
     */
    public boolean isUndone(Throwable failed) {
        return aborted || failed instanceof CodeThrew;
    }

    /**
     * Finds the connection that a transaction manager has bound.
     *
     * @param dataSource the data source
     * @return the connection, or null if there is none
     */
    public static @Nullable Connection connectionOf(DataSource dataSource) {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                ? holder.getConnection()
                : null;
    }

    /**
     * Rolls back a transaction that Spring may have left open. Does nothing if it was rolled back.
     *
     * @param dataSource the data source to which the connection is bound
     */
    public static void rollBack(DataSource dataSource) {
        try {
            Connection connection = connectionOf(dataSource);
            if (connection != null) {
                connection.rollback();
            }
        } catch (SQLException | RuntimeException broken) {
            logger.debug("There is nothing to roll back on a connection that broke", broken);
        }
    }

    /** Makes Spring roll back. The exception of the code, which may be checked, is remembered separately. */
    private static final class CodeThrew extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CodeThrew() {
            super("The application's code threw an exception.", null, false, false);
        }
    }
}
