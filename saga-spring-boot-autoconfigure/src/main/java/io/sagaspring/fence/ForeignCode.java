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
 * Runs the application's code in a transaction that ends with statements of ours: the bodies of an entity's step, a transactional
 * step of a run, the work of a key in one commit. Each transaction has an object of its own. This is the whole rule:
 *
 * <ol>
 *   <li>The transaction begins through {@link TransactionPhase#template}, because in a callback after the end of another one Spring
 *       would take part in that.
 *   <li>Whatever the code throws, be it checked or an {@code Error}, rolls back. The transaction is marked, too, so that no code
 *       further out commits what is left of it.
 *   <li>A {@code VirtualMachineError} may come from the middle of a statement. The connection is aborted and not used again, not
 *       even to roll back ({@link OutOfStep}).
 *   <li>Code that reports success in a transaction that is marked rollback-only has failed ({@link #requireCommit}).
 *   <li>Statements of ours that lock rows which a keeper, a janitor or another node wants come directly before the commit, behind
 *       what other code has put there.
 *   <li>The caller gets what the code has thrown. What the rollback throws then is suppressed in it ({@link #cause}).
 *   <li>A failure after the commit changes nothing: it is logged, and the caller gets the result.
 * </ol>
 *
 * <p>Five differences are meant:
 *
 * <ul>
 *   <li><b>Isolation.</b> Steps are READ COMMITTED, because the keeper writes their rows while they last. A key keeps the level of
 *       the application: it may take part in a transaction of the caller's.
 *   <li><b>The last statements.</b> A key's reply is written when its work returns. Its row is locked since the claim, so that
 *       waiting would spare no one, and the commit may be the caller's. Rules 4 and 7 are Spring's there for the same reason.
 *   <li><b>The connection</b> of an entity's step is Hibernate's; the others have the one that is bound to the data source.
 *   <li><b>A {@code TransactionException} from a callback before the commit.</b> Spring takes it for one of the commit and rolls nothing
 *       back. JPA then does, as its session is closed. On a connection of JDBC what was written would be committed when it is in
 *       auto-commit mode again, so the others roll back themselves ({@link #rollBack}).
 *   <li><b>A commit whose outcome is open</b> ({@link LostAnswers}). An entity's step asks the server, as it has to know whether to
 *       release the claim. A run's step asks no one and gives the run back: the journal tells whoever picks it up. The same holds if
 *       its rollback fails, unless the connection was aborted. With a key the caller gets what Spring throws: work and reply are one
 *       commit, and a repetition finds both or neither.
 * </ul>
 *
 * @since 0.1.0
 */
public final class ForeignCode {

    private static final Logger logger = LoggerFactory.getLogger(ForeignCode.class);

    private @Nullable Throwable thrown;
    private boolean aborted;

    /** Prepares for a transaction. */
    public ForeignCode() {}

    /**
     * Runs the code. To be called in the transaction.
     *
     * @param status the transaction's
     * @param connection finds the transaction's connection, or null where it has none
     * @param code the application's
     * @param <T> the type of the result
     * @return what the code returned
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
     * Requires that code which has reported success is to be committed.
     *
     * @param status the transaction's
     * @param otherwise the message
     */
    public static void requireCommit(TransactionStatus status, Supplier<String> otherwise) {
        if (status.isRollbackOnly()) {
            throw new UnexpectedRollbackException(otherwise.get());
        }
    }

    /**
     * Remembers why statements of ours refuse the commit. Where the rollback fails, too, nobody else does.
     *
     * @param refused what they threw
     * @return the same
     */
    public RuntimeException remembered(RuntimeException refused) {
        thrown = refused;
        return refused;
    }

    /**
     * Finds what to tell the caller.
     *
     * @param failed what the transaction has thrown
     * @return what the code has thrown, or the same if it has thrown nothing
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
     * Tells whether nothing can have been kept.
     *
     * @param failed what the transaction has thrown
     * @return true if it was rolled back because of the code, or its connection aborted
     */
    public boolean isUndone(Throwable failed) {
        return aborted || failed instanceof CodeThrew;
    }

    /**
     * Finds the connection that a transaction manager has bound.
     *
     * @param dataSource for which
     * @return the connection, or null if there is none
     */
    public static @Nullable Connection connectionOf(DataSource dataSource) {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                ? holder.getConnection()
                : null;
    }

    /**
     * Rolls back what Spring may have left open. Where it was rolled back, this does nothing.
     *
     * @param dataSource to which the connection is bound
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

    /** Rolls back; what was thrown is remembered as it is, also where it is checked. */
    private static final class CodeThrew extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CodeThrew() {
            super("Code of the application threw.", null, false, false);
        }
    }
}
