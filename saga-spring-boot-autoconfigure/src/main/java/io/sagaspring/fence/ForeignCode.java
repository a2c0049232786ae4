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
 * Runs the application's code in a transaction that ends with statements of the library. Such code is a workflow step's
 * action, the code of a run's transactional step, the work of a same-transaction key, or a listener of a flip. Create
 * one object for each transaction. The rules are:
 *
 * <ol>
 *   <li>The transaction begins through {@link TransactionPhase#template}. Otherwise, in a callback after the end of another
 *       transaction, Spring would join the ended transaction.
 *   <li>Everything that the code throws rolls the transaction back, including checked exceptions and {@code Error}s. The transaction is
 *       also marked as rollback-only, so that no outer code commits the rest of it.
 *   <li>A {@code VirtualMachineError} may occur in the middle of a statement. The connection is then aborted and not used again, not
 *       even to roll back ({@link OutOfStep}).
 *   <li>If the code returns normally but its transaction is marked rollback-only, the code has failed ({@link #requireCommit}).
 *   <li>Some statements of the library lock rows that a keeper, a janitor or another node needs. They are executed directly before the
 *     commit, after the callbacks that other code has registered for that moment.
 *   <li>The caller gets the exception that the code threw. An exception of the rollback is added to it as suppressed ({@link #cause}).
 *   <li>A failure after the commit does not change the result: it is logged, and the caller gets the result.
 * </ol>
 *
 * <p>A listener of a flip runs in a short transaction of the library ({@link OwnTransactions}), not in a Spring transaction. The listener
 * gets only the connection ({@link LentConnection}), so rules 1, 4 and 7 do not apply. Contrary to rule 5, the flip is
 * executed before the listener, because the listener receives the new version. If the reply to the commit is lost, the
 * library determines the outcome in the same way as without a listener ({@link LostAnswers}). The library calls the
 * listener again only after a rollback.
 *
 * <p>The other three kinds of code differ intentionally in five points:
 *
 * <ul>
 *   <li><b>Isolation.</b> The steps of workflows and runs are READ COMMITTED. The keeper updates their claim or run
 *       while they are executed, so at a stricter level their last statements would fail. A key keeps the application's
 *       level, because it may join the caller's transaction.
 *   <li><b>The time of the last statements.</b> A key's reply is written when its work returns. The row has been locked
 *       since the claim, so writing the reply later would not shorten any wait, and the commit may belong to the
 *       caller. Because the caller may own the commit, Spring's rules replace rules 4 and 7 for a key.
 *   <li><b>The connection.</b> The step of an entity that Hibernate maps uses Hibernate's connection. All other code
 *       uses the connection that is bound to the data source.
 *   <li><b>A {@code TransactionException} from a callback before the commit.</b> Spring treats it as a failure of the
 *       commit and does not roll back. JPA nevertheless rolls back, because its session is closed. On a JDBC
 *       connection, the return to auto-commit mode would commit the writes. So the classes of the library that run
 *       such code without JPA call {@link #rollBack} themselves.
 *   <li><b>A commit whose outcome is open</b> ({@link LostAnswers}). For a step of a workflow, the library asks the
 *       server, because it must know whether to release the claim. For a step of a run, the library does not ask, and
 *       releases the run: the node that picks up the run reads the outcome from the journal. The library also releases
 *       the run if the rollback of its step fails, unless the connection was aborted. With a key, the caller gets
 *       Spring's exception. Work and reply are one commit, so a repeated request finds both or neither.
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
     * @param connection the supplier of the transaction's connection, which returns null if there is none
     * @param code the code of the application
     * @param <T> the type of the result
     * @return the result of the code
     */
    public <T extends @Nullable Object> T run(
            TransactionStatus status, Supplier<? extends @Nullable Connection> connection, Callable<T> code) {
        return run(status, connection, null, code);
    }

    /**
     * Runs the code under a lease, so that it can be interrupted. Call this method inside the transaction.
     *
     * @param status the status of the transaction
     * @param connection the supplier of the transaction's connection, which returns null if there is none
     * @param hold the hold of the lease, or null if there is no lease
     * @param code the code of the application
     * @param <T> the type of the result
     * @return the result of the code
     */
    public <T extends @Nullable Object> T run(
            TransactionStatus status,
            Supplier<? extends @Nullable Connection> connection,
            @Nullable Hold hold,
            Callable<T> code) {
        try {
            return hold == null ? code.call() : hold.during(code);
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
     * Throws an exception if the code returned normally but its transaction is marked rollback-only.
     *
     * @param status the status of the transaction
     * @param message the supplier of the exception's message
     */
    public static void requireCommit(TransactionStatus status, Supplier<String> message) {
        if (status.isRollbackOnly()) {
            throw new UnexpectedRollbackException(message.get());
        }
    }

    /**
     * Stores the exception with which the library's own statements prevented the commit. Without this, the exception
     * would be lost if the rollback failed as well.
     *
     * @param refused the exception of the statements
     * @return the same exception
     */
    public RuntimeException remembered(RuntimeException refused) {
        thrown = refused;
        return refused;
    }

    /**
     * Returns the exception that the caller gets.
     *
     * @param failed the exception of the transaction
     * @return the exception that the code threw or that {@link #remembered} stored, or else the given exception
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
     * Returns true if the transaction is known not to be committed.
     *
     * @param failed the exception of the transaction
     * @return true if the transaction was rolled back because of the code, or its connection was aborted
     */
    public boolean isUndone(Throwable failed) {
        return aborted || failed instanceof CodeThrew;
    }

    /**
     * Finds the connection that a transaction manager has bound to a data source.
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
     * Rolls back a transaction that Spring may have left open. Has no effect if the transaction was already rolled
     * back.
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
            logger.debug("There is nothing to roll back, because the connection is broken", broken);
        }
    }

    /** Makes Spring roll back. The code's own exception, which may be a checked one, is stored in {@code thrown}. */
    private static final class CodeThrew extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CodeThrew() {
            super("The application's code threw an exception.", null, false, false);
        }
    }
}
