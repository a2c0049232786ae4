package io.sagaspring.fence;

import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Defines the rules for lost replies: the connection broke, so a statement or a commit may have taken effect. All code that sends a
 * statement of the library follows them.
 *
 * <ol>
 *   <li><b>A rollback because of another transaction</b> (40001, 40P01) leaves no doubt. Nothing was stored, and {@link
 *       OwnTransactions} sends the statement again, until it has been sent ten times.
 *   <li><b>A reply is lost</b> if an open connection broke (08…, 57P01 to 57P03). A pool without a free connection
 *       reports the same SQLState, but then nothing was sent. Until a reply is lost, the caller gets each failure
 *       immediately.
 *   <li><b>After a lost reply, the outcome is in doubt</b> until a later attempt succeeds. There are three attempts in
 *       total. A failure of a later attempt, even a rejection by the database, does not show the outcome of the first
 *       attempt.
 *   <li><b>After the last attempt, the outcome is unknown</b>: {@link OutcomeUnknownException}. The application's code
 *       is never run again.
 * </ol>
 *
 * <p>How the library finds out the outcome depends on the traces that the statement leaves:
 *
 * <ol>
 *   <li>Some statements are safe to send again, because their row contains a key, a token or the id of the attempt. They
 *       are sent again ({@link OwnTransactions#repeatable}).
 *   <li>A statement that inserts a row at most once is also sent again. A duplicate key is a reply: an earlier attempt
 *       has written the row ({@link OwnTransactions#adding}). If the statement wrote rows of several runs in one
 *       commit, each run sends its own part again.
 *   <li>For a claim, the library looks for the id of the attempt before it sends the statement again, and once more if that statement
 *       claims nothing. The reason is that a successful claim moves the entity out of the status that can be claimed.
 *   <li>Some statements remove their own traces, such as the end of a claim. Such statements return the id of their
 *       transaction, and the library asks the server about that id ({@link OwnTransactions#decided}, {@link
 *       OwnTransactions#hasCommitted}).
 * </ol>
 *
 * <p>There are four intentional exceptions:
 *
 * <ul>
 *   <li>For a statement that records work that has taken effect, the outcome is in doubt after any failure of the
 *       connection, even if nothing was sent ({@link #settledAfterWork}). A caller that gets "no connection" would
 *       believe that nothing happened.
 *   <li>For a transactional step of a run, the library does not ask the database. The run's row stays locked until the
 *       transaction has ended, and then the journal shows the outcome. The run can be released without knowing the
 *       outcome, so a connection that could not be obtained is treated like a lost reply ({@link #isOfTheConnection}).
 *       A caller that waits for a run also treats these two failures alike, because it only reads and can read again.
 *   <li>A repeated claim of a key or a lease stops when it finds the row locked, although the outcome of the first attempt is in doubt.
 *       The caller learns that the key or the lease is in use, and may call again. If the first attempt has acquired
 *       the row, the row becomes free when its lease expires.
 *   <li>A release is sent only once, and so is a read that is not mentioned above. A row that was not released becomes
 *       free when its lease expires.
 * </ul>
 *
 * @since 0.1.0
 */
public final class LostAnswers {

    private static final int ATTEMPTS = 3;

    private LostAnswers() {}

    /**
     * An attempt that can be repeated.
     *
     * @param <T> the type of the result
     */
    @FunctionalInterface
    public interface Attempt<T extends @Nullable Object> {

        /**
         * Sends statements, each of which is committed on its own.
         *
         * @param inDoubt true if an earlier attempt may have taken effect
         * @return the result
         */
        T make(boolean inDoubt);
    }

    /**
     * Makes an attempt, and repeats it as long as a lost reply leaves the outcome in doubt, up to three attempts in
     * total.
     *
     * @param operation the operation's name, with which the message of {@link OutcomeUnknownException} begins
     * @param attempt the attempt, which sends the statements
     * @param <T> the type of the result
     * @return the result
     * @throws OutcomeUnknownException if a reply was lost and no later attempt succeeded
     */
    public static <T extends @Nullable Object> T settled(Supplier<String> operation, Attempt<T> attempt) {
        return settled(operation, LostAnswers::isLost, attempt);
    }

    /**
     * Makes attempts to record the outcome of work that has taken effect. Repeats an attempt after any failure of the
     * connection, up to three attempts in total.
     *
     * @param operation the operation's name, with which the message of {@link OutcomeUnknownException} begins
     * @param attempt the attempt, which sends the statements
     * @param <T> the type of the result
     * @return the result
     * @throws OutcomeUnknownException if the connection failed and no later attempt succeeded
     */
    public static <T extends @Nullable Object> T settledAfterWork(Supplier<String> operation, Attempt<T> attempt) {
        return settled(operation, LostAnswers::isOfTheConnection, attempt);
    }

    private static <T extends @Nullable Object> T settled(
            Supplier<String> operation, Predicate<Throwable> raisesDoubt, Attempt<T> attempt) {
        boolean inDoubt = false;
        for (int attempts = 1; ; attempts++) {
            try {
                return attempt.make(inDoubt);
            } catch (DataAccessException failed) {
                inDoubt |= raisesDoubt.test(failed);
                if (!inDoubt) {
                    throw failed;
                }
                if (attempts == ATTEMPTS) {
                    throw new OutcomeUnknownException(operation.get(), failed);
                }
            }
        }
    }

    /**
     * Returns true if a statement was sent and its reply was lost.
     *
     * @param failure the exception
     * @return true if the statement may have taken effect
     */
    public static boolean isLost(Throwable failure) {
        return !(failure instanceof CannotGetJdbcConnectionException) && SqlStates.leavesOutcomeOpen(failure);
    }

    /**
     * Returns true if the connection failed, rather than a statement on it.
     *
     * @param failure the exception
     * @return true if there was no connection, or the connection broke
     */
    public static boolean isOfTheConnection(Throwable failure) {
        return failure instanceof CannotGetJdbcConnectionException || SqlStates.leavesOutcomeOpen(failure);
    }
}
