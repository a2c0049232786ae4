/**
 * The foundation of everything that has at most one owner at a time:
 *
 * <ul>
 *   <li>a fencing token greater than every earlier one,
 *   <li>an expiry by the database's clock,
 *   <li>the heartbeat keeper, which renews everything that this node holds,
 *   <li>transactions of our own, whose outcome can be found out if the connection breaks at the commit,
 *   <li>loops: background threads that end only when they are stopped.
 * </ul>
 *
 * <p>{@link io.sagaspring.fence.LostAnswers} has the rules for lost answers, {@link io.sagaspring.fence.ForeignCode} those for the
 * application's code in a transaction. Of this library, the package uses only the statements of {@code jdbc}. Start reading at {@link
 * io.sagaspring.fence.Keeper}.
 *
 * <p>Apart from {@code ActiveTransactionException}, {@code FencingToken}, {@code HeldLease}, {@code Hold}, {@code OutcomeUnknownException} and
 * {@code RenewableLeases}, its public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.fence;

import org.jspecify.annotations.NullMarked;
