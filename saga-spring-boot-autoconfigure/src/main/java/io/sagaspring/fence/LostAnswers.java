package io.sagaspring.fence;

import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * The rules for lost answers: the connection broke, and the statement or the commit may have taken effect. Every place that sends
 * a statement of ours follows them.
 *
 * <ol>
 *   <li><b>A rollback because of another transaction</b> (40001, 40P01) leaves no doubt. Nothing was stored, and {@link
 *       OwnTransactions} sends the statement again, up to ten times in all.
 *   <li><b>An answer is lost</b> if an open connection broke (08…, 57P01 to 57P03). A pool without a free connection reports the same
 *       state, but nothing was sent. As long as no answer is lost, the caller gets every other failure.
 *   <li><b>After a lost answer the outcome is in doubt</b> until the database answers. There are three attempts in all. A failure of
 *       a later attempt, even a refusal, says nothing about the first attempt.
 *   <li><b>After the last attempt the outcome is unknown</b>: {@link OutcomeUnknownException}. Foreign code is never run again.
 * </ol>
 *
 * <p>The way to ask depends on the traces of the statement:
 *
 * <ol>
 *   <li>Some statements do no harm when they are sent again, because their row bears a key, a token or the id of the attempt. They
 *       are sent again ({@link OwnTransactions#repeatable}).
 *   <li>A statement that inserts a row at most once is sent again, too. A duplicate key is an answer: an earlier attempt has
 *       written the row ({@link OwnTransactions#adding}). If several runs wrote in one commit, each of them sends its own part again.
 *   <li>A claim is searched for by the id of its attempt before it is sent again, and once more if it is then refused. After a
 *       successful claim, the entity is no longer in the status that can be claimed.
 *   <li>Some statements remove their own traces, such as the end of a claim. They return the id of their transaction, and the
 *       server is asked about that id ({@link OwnTransactions#decided}, {@link OwnTransactions#hasCommitted}).
 * </ol>
 *
 * <p>Four differences are intended:
 *
 * <ul>
 *   <li>The reply of work that has taken effect is in doubt after any failure of the connection, even if nothing was sent ({@link
 *       #settledAfterWork}). A caller that gets "no connection" would believe that nothing has happened.
 *   <li>A transactional step of a run is not asked about. Its row stays locked until the transaction has ended, and then the
 *       journal shows the outcome. The run can be released without an answer, so a missing connection counts, too ({@link
 *       #isOfTheConnection}). The same holds for a caller that waits for a run: it only reads, and reads again.
 *   <li>A repeated claim of a key or a lease ends when it finds the row locked, although the first attempt is in doubt. The caller
 *       learns that the key or the lease is in use, and may call again. If the first attempt has acquired the row, the row becomes free
 *       when its lease expires.
 *   <li>A release is sent once, and a read is not repeated. A row that was not released becomes free when its lease expires.
 * </ul>
 *
 * @since 0.1.0
 */
public final class LostAnswers {

    private static final int ATTEMPTS = 3;

    private LostAnswers() {}

    /**
     * The code of an attempt.
     *
     * @param <T> the type of the answer
     */
    @FunctionalInterface
    public interface Attempt<T extends @Nullable Object> {

        /**
         * Sends statements, each of them in a commit of its own.
         *
         * @param inDoubt true if an earlier attempt may have taken effect
         * @return the answer
         */
        T make(boolean inDoubt);
    }

    /**
     * Makes attempts until an answer arrives.
     *
     * @param operation the name of the operation, as the subject of a message
     * @param attempt sends the statements
     * @param <T> the type of the answer
     * @return the answer
     * @throws OutcomeUnknownException if an answer was lost and no later attempt got one
     */
    public static <T extends @Nullable Object> T settled(Supplier<String> operation, Attempt<T> attempt) {
        return settled(operation, LostAnswers::isLost, attempt);
    }

    /**
     * Makes attempts to record the outcome of work that has taken effect, until an answer arrives.
     *
     * @param operation the name of the operation, as the subject of a message
     * @param attempt sends the statements
     * @param <T> the type of the answer
     * @return the answer
     * @throws OutcomeUnknownException if the connection failed and no later attempt got an answer
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
     * Tells whether a statement was sent and its answer was lost.
     *
     * @param failure the exception
     * @return true if the statement may have taken effect
     */
    public static boolean isLost(Throwable failure) {
        return !(failure instanceof CannotGetJdbcConnectionException) && SqlStates.leavesOutcomeOpen(failure);
    }

    /**
     * Tells whether the connection failed, and not a statement on it.
     *
     * @param failure the exception
     * @return true if there was no connection, or if it broke
     */
    public static boolean isOfTheConnection(Throwable failure) {
        return failure instanceof CannotGetJdbcConnectionException || SqlStates.leavesOutcomeOpen(failure);
    }
}
