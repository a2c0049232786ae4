/**
 * The foundation of everything that has at most one owner at a time:
 *
 * <ul>
 *   <li>a fencing token greater than every earlier one,
 *   <li>an expiry by the database's clock,
 *   <li>the heartbeat keeper, which renews every lease that this node holds,
 *   <li>the library's own transactions, whose outcome can be determined even if the connection breaks at the commit,
 *   <li>loops: background threads that run until they are stopped.
 * </ul>
 *
 * <p>{@link io.sagaspring.fence.LostAnswers} contains the rules for lost replies, {@link
 * io.sagaspring.fence.ForeignCode} the rules for the application's code in a transaction. The package uses no other
 * package of this library except {@code jdbc}. Start reading at {@link io.sagaspring.fence.Keeper}.
 *
 * <p>Apart from {@code ActiveTransactionException}, {@code FencingToken}, {@code Freeing}, {@code HeldLease}, {@code
 * Hold}, {@code NodeLoad}, {@code NodeLoads}, {@code OutcomeUnknownException} and {@code RenewableLeases}, the package's
 * public types are for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.fence;

import org.jspecify.annotations.NullMarked;
