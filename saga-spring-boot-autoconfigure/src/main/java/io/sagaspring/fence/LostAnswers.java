package io.sagaspring.fence;

import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Decides what an answer means that never came: the connection broke, and the statement or the commit may have taken place. This
 * is the whole rule; each place that sends a statement of ours keeps to it.
 *
 * <ol>
 *   <li><b>Rolled back for the sake of another transaction</b> (40001, 40P01): nothing was kept, and {@link OwnTransactions} sends
 *       it again, up to ten times. That is no doubt.
 *   <li><b>Lost</b> is an answer if the connection was there and broke (08…, 57P01 to 57P03). A pool that has no connection
 *       reports the same state, but nothing was sent. Before an answer is lost, every other failure is known: the caller gets it.
 *   <li><b>From then on the outcome is in doubt</b>, and only an answer of the database ends that. Three attempts are made in all.
 *       A failure in between, even a refusal, says nothing about the first attempt.
 *   <li><b>After the last attempt the outcome is unknown</b>: {@link OutcomeUnknownException}. Foreign code is never run again.
 * </ol>
 *
 * <p>How to ask depends on what the statement has left behind:
 *
 * <ol>
 *   <li>A statement that does no harm when it is sent again, because its row bears a key, a token or the attempt's name, is sent
 *       again ({@link OwnTransactions#repeatable}).
 *   <li>A statement that inserts what must be there once is sent again, too. A duplicate key is an answer: an attempt
 *       before has written it ({@link OwnTransactions#adding}). What several runs have written in one commit, each of them
 *       sends again for itself.
 *   <li>A claim is looked for by the attempt's name before it is sent again, and once more if it is then refused: after a claim
 *       that took place, the entity is no longer in the status that can be claimed.
 *   <li>What removes its own traces, such as the end of a claim, has the number of its transaction, and the server is asked about
 *       that number ({@link OwnTransactions#decided}, {@link OwnTransactions#hasCommitted}).
 * </ol>
 *
 * <p>Four differences are meant:
 *
 * <ul>
 *   <li>The reply of work that took effect is in doubt as soon as there is a failure of the connection, also where nothing was
 *       sent ({@link #settledAfterWork}). A caller that heard "no connection" would believe that nothing has happened.
 *   <li>A transactional step of a run is not asked for: its row stays locked until the transaction has ended, and then the journal
 *       tells. It needs no answer to give the run back, so a connection that could not be had counts, too ({@link
 *       #isOfTheConnection}). The same holds for a caller that waits for a run: it only reads, and reads again.
 *   <li>A repeated claim of a key or a lease ends when it finds the row locked, although the first attempt is in doubt: the caller
 *       gets the answer that the key or the lease is in use, and may call again. If the first attempt has taken the row, the row is
 *       free when its lease is over.
 *   <li>A release is sent once, and a read is not repeated: what is not released is free when its time is over.
 * </ul>
 *
 * @since 0.1.0
 */
public final class LostAnswers {

    private static final int ATTEMPTS = 3;

    private LostAnswers() {}

    /**
     * One attempt.
     *
     * @param <T> the type of the answer
     */
    @FunctionalInterface
    public interface Attempt<T extends @Nullable Object> {

        /**
         * Sends statements, each of them in a commit of its own.
         *
         * @param inDoubt whether an attempt before this one may have taken place
         * @return the answer
         */
        T make(boolean inDoubt);
    }

    /**
     * Attempts until an answer comes.
     *
     * @param what the subject of a sentence about it
     * @param attempt sends the statements
     * @param <T> the type of the answer
     * @return the answer
     * @throws OutcomeUnknownException if an answer was lost, and no later attempt had one
     */
    public static <T extends @Nullable Object> T settled(Supplier<String> what, Attempt<T> attempt) {
        return settled(what, LostAnswers::isLost, attempt);
    }

    /**
     * Attempts until an answer comes, for what records the outcome of work that has taken effect.
     *
     * @param what the subject of a sentence about it
     * @param attempt sends the statements
     * @param <T> the type of the answer
     * @return the answer
     * @throws OutcomeUnknownException if the connection failed, and no later attempt had an answer
     */
    public static <T extends @Nullable Object> T settledAfterWork(Supplier<String> what, Attempt<T> attempt) {
        return settled(what, LostAnswers::isOfTheConnection, attempt);
    }

    private static <T extends @Nullable Object> T settled(
            Supplier<String> what, Predicate<Throwable> raisesDoubt, Attempt<T> attempt) {
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
                    throw new OutcomeUnknownException(what.get(), failed);
                }
            }
        }
    }

    /**
     * Tells whether a statement was sent and its answer was lost.
     *
     * @param failure what was thrown
     * @return whether it may have taken place
     */
    public static boolean isLost(Throwable failure) {
        return !(failure instanceof CannotGetJdbcConnectionException) && SqlStates.leavesOutcomeOpen(failure);
    }

    /**
     * Tells whether the connection failed, and not what was sent on it.
     *
     * @param failure what was thrown
     * @return whether there was no connection, or it broke
     */
    public static boolean isOfTheConnection(Throwable failure) {
        return failure instanceof CannotGetJdbcConnectionException || SqlStates.leavesOutcomeOpen(failure);
    }
}
